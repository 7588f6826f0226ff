import { networkInterfaces } from 'node:os';
import type { Config, ConfigChanges, Logger } from '@plugboard/gateway';
import { boundYoungGeneration } from '@plugboard/process';
import type { Command } from 'commander';
import { CommandFailure } from '../failure.ts';
import { bannerOf } from '../gateway/banner.ts';
import { loadConfig } from '../gateway/config.ts';
import { configFile, type Place, placeOf } from '../gateway/place.ts';
import type { Up } from '../gateway/start.ts';
import type { CommandLine, Outcome } from '../program.ts';
import { styleFor } from '../screen/style.ts';
import { VERSION } from '../version.ts';

interface UpOptions {
  readonly config?: string;
  readonly data?: string;
  readonly port?: string;
}

const EXAMPLES = `
Examples:
  plugboard up                          the demo agents and a web page, on this machine alone
  plugboard up --config bots.yaml       the agents of a configuration; changes are taken over as you save
  plugboard up --port 8080 --data ./here

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
    .option('--data <dir>', 'where it keeps what it must not forget')
    .option('-p, --port <number>', 'the port to listen on; 0 is any')
    .addHelpText('after', EXAMPLES)
    .action(async (options: UpOptions) => {
      outcome.exitCode = await runUp(options);
    });
}

async function runUp(options: UpOptions): Promise<number> {
  const signals = watchSignals();
  // Loaded now: no other command should wait for a web server to be read.
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
  const file = configFile(options.config);
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
  const up = await startGateway(config, place, log);
  announce(up, config, place);
  void tellPrograms(config, log);
  const watch =
    file === undefined
      ? undefined
      : watchConfig(file, load, {
          current: config,
          onChange(next, changes) {
            config = next;
            up.gateway.reload(next);
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
  // Whoever does not read our log must not keep us.
  setTimeout(() => process.exit(0), LAST_WORDS_MS).unref();
  return 0;
}

function tellChanges({ agents, restart }: ConfigChanges, log: Logger): void {
  const names = Object.entries(agents).filter(([, list]) => list.length > 0);
  log.info(
    'The configuration was read again.',
    Object.fromEntries(names.map(([what, list]) => [what, list.join(' ')])),
  );
  if (restart.length === 0) return;
  log.warn(`${restart.join(', ')}: this takes effect when the gateway is started again.`);
}

/** Beside everything else: a disk that does not answer must not keep the gateway. */
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

/** stdout carries the address alone, for scripts; the rest is for people. */
function announce(up: Up, config: Config, place: Place): void {
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

/** The first signal ends gracefully, the second at once. Heard from the beginning, and obeyed when there is something to end. */
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

/** What nobody expected ends the process: what was admitted is kept, and a supervisor starts it again. */
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
