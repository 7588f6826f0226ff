import { writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { Config, ConfigChanges, Logger } from '@plugboard/gateway';
import { boundYoungGeneration } from '@plugboard/process';
import { reasonOf } from '@plugboard/protocol';
import type { Command } from 'commander';
import type { CommandLine, Outcome } from '../command-line.ts';
import { CommandFailure } from '../failure.ts';
import { bannerOf } from '../gateway/banner.ts';
import { loadConfig } from '../gateway/config.ts';
import { nodeNameOf } from '../gateway/node-name.ts';
import { configFile, makePlace, type Place, placeOf } from '../gateway/place.ts';
import type { Up } from '../gateway/start.ts';
import { styleFor } from '../screen/style.ts';
import { VERSION } from '../version.ts';

interface UpOptions {
  readonly config?: string;
  readonly nanobot?: string;
  readonly data?: string;
  readonly port?: string;
  readonly node?: string;
}

const EXAMPLES = `
Examples:
  plugboard up                          the demo agents and a web page, on this machine alone
  plugboard up --config bots.yaml       the agents of a configuration; changes are taken over as you save
  plugboard up --port 8080 --data ./here
  plugboard up --nanobot ~/.nanobot/config.json   the same agent and the same chats as before

Without --config, plugboard.yaml in this directory is taken if there is one. Ctrl-C stops it: what runs may finish, and a
second one does not wait. SIGHUP reads the configuration again.`;

/** How long the last lines of the log may take. */
const LAST_WORDS_MS = 1_000;

/** `plugboard up`: the gateway. */
export function addUp(program: Command, _line: CommandLine, outcome: Outcome): void {
  program
    .command('up')
    .description('Put agents in front of people and programs: web page, HTTP, channels, durable sessions.')
    .option('-c, --config <file>', 'the configuration (default: plugboard.yaml here, if there is one)')
    .option(
      '--nanobot <file>',
      'the config.json of nanobot: its terminal block and its channels, as they are',
    )
    .option('--data <dir>', 'where it keeps what it must not forget')
    .option('-p, --port <number>', 'the port to listen on; 0 is any')
    .option(
      '--node <name>',
      'the name of this gateway among those with the same Postgres database (default: made of host and data directory)',
    )
    .addHelpText('after', EXAMPLES)
    .action(async (options: UpOptions) => {
      outcome.exitCode = await runUp(options);
    });
}

async function runUp(options: UpOptions): Promise<number> {
  const signals = watchSignals();
  // Imported lazily: the web server would slow the start of the commands that do not use it.
  const [
    { watchConfig },
    { startGateway },
    { createLogger },
    { createLogSink },
    { hostMark, killStragglers },
  ] = await Promise.all([
    import('@plugboard/gateway'),
    import('../gateway/start.ts'),
    import('../gateway/logger.ts'),
    import('../gateway/log-sink.ts'),
    import('@plugboard/process'),
  ]);
  const place = placeOf(options.data);
  const file = await configurationOf(options, place);
  const load = async (): Promise<Config> => withPort(await loadConfig(file, place), options.port);
  let config = await load();
  const log = createLogger({
    level: () => config.log.level,
    format: () => config.log.format,
    write: createLogSink(process.stderr),
    now: () => new Date(),
  });
  failLoudly(log);
  boundYoungGeneration();
  if (signals.endWanted) return 0;
  const up = await startGateway(config, place, log, nodeNameOf(options.node, place));
  printBanner(up, config, place);
  void tellPrograms(config, log);
  const watch =
    file === undefined
      ? undefined
      : watchConfig(file, load, {
          current: config,
          onChange(next, changes) {
            config = next;
            up.gateway.reload(next);
            void replaceChannels(up, next, changes.channels, { log, place });
            tellChanges(changes, log);
            void tellPrograms(onlyAgents(next, [...changes.agents.added, ...changes.agents.changed]), log);
          },
          onProblem: (error) => log.error(`The configuration stays as it was: ${error.message}`),
        });
  signals.onReload(() => void watch?.reload());
  await signals.end;
  watch?.close();
  log.info('Stopping: what runs may finish. Ctrl-C again to stop now.');
  signals.onEndAgain(() => {
    void up.gateway.stop();
    void killStragglers(hostMark());
  });
  await up.stop();
  // A full stdout or stderr pipe that is not read must not delay the exit: `LAST_WORDS_MS` is the limit.
  setTimeout(() => process.exit(0), LAST_WORDS_MS).unref();
  return 0;
}

/** The file of `--config`, or one that is made anew from a nanobot configuration at each start. */
async function configurationOf({ config, nanobot }: UpOptions, place: Place): Promise<string | undefined> {
  if (nanobot === undefined) return configFile(config);
  if (config !== undefined) throw new CommandFailure('Give either --config or --nanobot, not both.');
  const { takeOverNanobot, tellNotes } = await import('../nanobot/take-over.ts');
  makePlace(place);
  const taken = await takeOverNanobot(nanobot, place);
  tellNotes(taken);
  const file = join(place.directory, 'nanobot.yaml');
  writeFileSync(file, taken.text, { mode: 0o600 });
  return file;
}

function tellChanges({ agents, channels, restart }: ConfigChanges, log: Logger): void {
  const names = Object.entries({ ...agents, channels }).filter(([, list]) => list.length > 0);
  log.info(
    'The configuration was read again.',
    Object.fromEntries(names.map(([what, list]) => [what, list.join(' ')])),
  );
  if (restart.length === 0) return;
  log.warn(`${restart.join(', ')}: this takes effect when the gateway is started again.`);
}

/** Stops and starts the channels of platforms that have changed. */
async function replaceChannels(
  { gateway }: Up,
  { channels, server }: Config,
  names: readonly string[],
  { log, place }: { readonly log: Logger; readonly place: Place },
): Promise<void> {
  const { createPlatformChannel } = await import('@plugboard/gateway');
  for (const name of names) {
    const platform = channels.platforms.get(name);
    try {
      const channel =
        platform === undefined
          ? undefined
          : await createPlatformChannel(platform, server.mediaBytes, log, place.directory);
      await gateway.replaceChannel(name, channel);
    } catch (error) {
      log.error(`The channel ${name} stays as it was: ${reasonOf(error)}`);
    }
  }
}

/** Not awaited by the start of the gateway: `programProblems` reads the disk, which may not answer. */
async function tellPrograms(config: Config, log: Logger): Promise<void> {
  const { programProblems } = await import('../doctor/agents.ts');
  for (const problem of await programProblems(config)) log.warn(problem);
}

function onlyAgents(config: Config, names: readonly string[]): Config {
  return { ...config, agents: new Map([...config.agents].filter(([name]) => names.includes(name))) };
}

function withPort(config: Config, port: string | undefined): Config {
  if (port === undefined) return config;
  const number = Number(port);
  if (!Number.isInteger(number) || number < 0 || number > 65_535) {
    throw new CommandFailure(`--port ${port}: give a number from 0 to 65535.`);
  }
  return { ...config, server: { ...config.server, port: number } };
}

/** stdout gets the address only, for scripts; the banner goes to stderr. */
function printBanner(up: Up, config: Config, place: Place): void {
  const { door, spawner, hasPage } = up;
  process.stdout.write(`${door.url}\n`);
  const facts = {
    version: VERSION,
    url: door.url,
    agents: [...config.agents.keys()],
    data: place.directory,
    starts: spawner.kind,
    ...(hasPage ? { login: up.loginLinks(networkInterfaces()) } : {}),
  };
  process.stderr.write(bannerOf(facts, styleFor(process.stderr).dim));
}

/**
 * The first SIGINT or SIGTERM ends gracefully, the second at once. The listeners are added first, because a signal may
 * come before the gateway is up.
 */
function watchSignals() {
  const { promise: end, resolve } = Promise.withResolvers<void>();
  let count = 0;
  let again = (): void => {};
  let reload = (): void => {};
  const onEnd = (): void => {
    count += 1;
    resolve();
    if (count > 1) again();
  };
  process.on('SIGINT', onEnd);
  process.on('SIGTERM', onEnd);
  process.on('SIGHUP', () => reload());
  return {
    end,
    get endWanted() {
      return count > 0;
    },
    onEndAgain(act: () => void): void {
      again = act;
      if (count > 1) act();
    },
    onReload(act: () => void): void {
      reload = act;
    },
  };
}

/**
 * Exits with code 70 on an unexpected error: admitted messages are in the store, and a supervisor restarts the gateway.
 */
function failLoudly(log: Logger): void {
  const fail = (error: unknown): void => {
    log.error(
      `Something unexpected happened: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
    process.exit(70);
  };
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
}
