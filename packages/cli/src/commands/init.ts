import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { isDirectory } from '@plugboard/host';
import type { DialectName } from '@plugboard/protocol';
import type { Command } from 'commander';
import { CommandFailure } from '../failure.ts';
import { loadConfig } from '../gateway/config.ts';
import { placeOf } from '../gateway/place.ts';
import { movedText, movedWords } from '../moved-command.ts';
import type { CommandLine } from '../program.ts';
import { quoted } from '../shell-word.ts';
import { reasonFor } from '../system-problem.ts';
import { dialectOf } from '../target.ts';
import { dialectToWrite, doubtOf, type Tried, tryAgent } from '../try-agent.ts';

interface InitOptions {
  readonly config: string;
  readonly name?: string;
  readonly dialect?: string;
  readonly port?: string;
  readonly yes?: boolean;
  readonly force?: boolean;
  /** False for `--no-try`. */
  readonly try: boolean;
}

interface Agent {
  readonly name: string;
  readonly dialect: DialectName;
  readonly protocol?: 'rich';
  readonly command: readonly string[] | string;
}

interface Answers {
  readonly agents: readonly Agent[];
  readonly port: number;
}

const STANDARD_FILE = 'plugboard.yaml';

const EXAMPLES = `
Examples:
  plugboard init                                                       asks
  plugboard init --yes                                                 the demo agent
  plugboard init --name helper --dialect terminal -- python3 helper.py`;

/** `plugboard init`: a configuration to begin with. */
export function addInit(program: Command, line: CommandLine): void {
  program
    .command('init')
    .description('Write a configuration for the gateway, by asking or by flags.')
    .option('-c, --config <file>', 'the file to write', STANDARD_FILE)
    .option('-n, --name <name>', 'what to call the agent (default: its program)')
    .option(
      '-d, --dialect <name>',
      'the dialect of the command after -- (default: the one in which it answers)',
    )
    .option('-p, --port <number>', 'the port to listen on', '7420')
    .option('-y, --yes', 'ask nothing: what is not said gets its default')
    .option('--no-try', 'do not start the agent to see which dialect it speaks')
    .option('--force', 'also when the file is there already')
    .addHelpText('after', EXAMPLES)
    .action(async (options: InitOptions) => {
      demandRoom(options);
      const answers = await answersFor(options, line.agentCommand);
      await write(options.config, answers);
      const named = options.config === STANDARD_FILE ? '' : ` -c ${quoted(options.config)}`;
      process.stderr.write(
        `${options.config} was written. Next: plugboard doctor${named}, then plugboard up${named}\n`,
      );
    });
}

/** Before anything is asked: answers to no purpose are lost. */
function demandRoom({ config, force }: InitOptions): void {
  const folder = dirname(config);
  if (!existsSync(folder))
    throw new CommandFailure(`There is no folder ${folder}. Make it with mkdir -p ${quoted(folder)} first.`);
  if (!isDirectory(folder))
    throw new CommandFailure(`${folder} is not a folder. Name another file with --config.`);
  if (isDirectory(config))
    throw new CommandFailure(`${config} is a folder. Name a file in it with --config.`);
  if (existsSync(config) && force !== true)
    throw new CommandFailure(`${config} is there already. --force writes it anew.`);
}

async function answersFor(options: InitOptions, command: readonly string[]): Promise<Answers> {
  const port = portOf(options.port ?? '');
  if (command.length > 0) {
    if (options.dialect !== undefined) dialectOf(options.dialect);
    const name = agentName(options.name ?? nameOf(command[0] ?? ''));
    const tried = await triedIf(options, command);
    const dialect = dialectToWrite(options.dialect, tried);
    const doubt = doubtOf(dialect, tried);
    if (doubt !== undefined) process.stderr.write(`${doubt}\n`);
    return {
      agents: [{ name, ...wiring(dialect, tried), command: movedWords(command, options.config) }],
      port,
    };
  }
  if (options.yes === true) return { agents: [], port };
  if (!process.stdin.isTTY) {
    throw new CommandFailure(
      'Nobody can be asked here: say --yes for the demo agent, or --dialect NAME -- COMMAND.',
    );
  }
  return ask(options);
}

async function ask(options: InitOptions): Promise<Answers> {
  const keyboard = createInterface({ input: process.stdin, output: process.stderr });
  const leave = new AbortController();
  keyboard.once('close', () => leave.abort());
  const question = async <T>(text: string, standard: string, read: (said: string) => T): Promise<T> => {
    for (;;) {
      const shown = `${text}${standard === '' ? '' : ` [${standard}]`}: `;
      const said = (await keyboard.question(shown, { signal: leave.signal })).trim();
      try {
        return read(said === '' ? standard : said);
      } catch (error) {
        if (!(error instanceof CommandFailure)) throw error;
        process.stderr.write(`${error.message}\n`);
      }
    }
  };
  const askPort = (): Promise<number> => question('Port', options.port ?? '7420', portOf);
  try {
    const command = await question('The command of your agent (nothing: the demo agent)', '', (said) => said);
    if (command === '') return { agents: [], port: await askPort() };
    const tried = await triedIf(options, argvOf(command), leave.signal);
    const dialect = await question(
      'Its dialect (agentproc, agentproc/v4, terminal, nuum, nib)',
      options.dialect ?? tried?.dialects[0] ?? 'terminal',
      dialectOf,
    );
    const name = await question('What to call it', options.name ?? nameOf(command), agentName);
    const moved = typed(command, dialect, options.config);
    return { agents: [{ name, ...wiring(dialect, tried), command: moved }], port: await askPort() };
  } catch (error) {
    if (leave.signal.aborted) throw new CommandFailure('Nothing was written.', 130);
    throw error;
  } finally {
    keyboard.close();
  }
}

/** Probes the agent and prints the result; undefined with `--no-try`. */
async function triedIf(
  options: InitOptions,
  command: readonly string[],
  left?: AbortSignal,
): Promise<Tried | undefined> {
  if (!options.try) return undefined;
  if (process.stderr.isTTY) process.stderr.write('It is tried in each dialect, which takes a few seconds.\n');
  const tried = await tryAgent(command, left);
  process.stderr.write(`${tried.remark}\n`);
  return tried;
}

/** Rich is written for every terminal agent that was not seen to print text: it passes text on, too. */
function wiring(dialect: DialectName, tried: Tried | undefined): Pick<Agent, 'dialect' | 'protocol'> {
  return dialect === 'terminal' && tried?.plain !== true ? { dialect, protocol: 'rich' } : { dialect };
}

/** A typed command as `tryAgent` starts it: by a shell where it is more than words. */
function argvOf(command: string): readonly string[] {
  return /^[\w\s./:=@%+,-]*$/.test(command) ? command.split(/\s+/) : ['/bin/sh', '-c', command];
}

/** The one dialect whose commands are not split gets the words that were typed. */
function typed(command: string, dialect: DialectName, config: string): readonly string[] | string {
  return dialect === 'agentproc/v4' ? movedWords(command.split(/\s+/), config) : movedText(command, config);
}

/** Read back before it is kept: a file that cannot be used helps nobody. */
async function write(file: string, answers: Answers): Promise<void> {
  const { configSchema, writeSampleConfig } = await import('@plugboard/gateway');
  const before = existsSync(file) ? readFileSync(file) : undefined;
  save(file, writeSampleConfig(answers));
  try {
    await loadConfig(file, placeOf(undefined));
  } catch (error) {
    if (before === undefined) rmSync(file);
    else writeFileSync(file, before);
    throw error;
  }
  const schema = join(dirname(file), 'plugboard.schema.json');
  save(schema, `${JSON.stringify(configSchema(), undefined, 2)}\n`);
}

function save(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new CommandFailure(
      `${file} cannot be written: ${reasonFor(error)}. Name another with --config.`,
      1,
    );
  }
}

function agentName(text: string): string {
  if (/^[a-z0-9-]{1,64}$/.test(text)) return text;
  throw new CommandFailure(
    `An agent's name is made of a to z, 0 to 9 and -, at most 64 of them: ${text} is not.`,
  );
}

function nameOf(command: string): string {
  const program = command.split(/\s+/)[0]?.split('/').at(-1) ?? '';
  const name = program
    .replace(/\.\w+$/, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return name === '' ? 'agent' : name;
}

function portOf(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new CommandFailure(`Port ${text}: give a number from 0 to 65535.`);
  return port;
}
