import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { isDirectory } from '@plugboard/host';
import { type DialectName, dialects, PLAIN_DIALECT, terminalText } from '@plugboard/protocol';
import type { Command } from 'commander';
import type { CommandLine } from '../command-line.ts';
import { CommandFailure } from '../failure.ts';
import { loadConfig } from '../gateway/config.ts';
import { placeOf } from '../gateway/place.ts';
import { agentFields } from '../known-agents/agent-fields.ts';
import { examineAgent, findInstalled, type InstalledAgent } from '../known-agents/find-installed.ts';
import { movedText, movedWords } from '../moved-command.ts';
import { pinLauncher } from '../pin-launcher.ts';
import { quoteWord } from '../shell-word.ts';
import { reasonFor } from '../system-problem.ts';
import { collectValues, demandKnownAgent, dialectOf } from '../target.ts';
import { dialectToWrite, doubtOf, type Tried, tryAgent } from '../try-agent.ts';

interface InitOptions {
  readonly config: string;
  /** Names of known agents. */
  readonly agent?: readonly string[];
  readonly name?: string;
  readonly dialect?: string;
  readonly port?: string;
  readonly yes?: boolean;
  readonly force?: boolean;
  readonly fromNanobot?: string;
  readonly data?: string;
  /** False for `--no-try`. */
  readonly try: boolean;
}

interface Agent {
  readonly name: string;
  readonly dialect: DialectName;
  readonly protocol?: 'rich' | 'plain';
  readonly command: readonly string[] | string;
  readonly env?: Readonly<Record<string, string>>;
}

interface Answers {
  readonly agents: readonly Agent[];
  readonly port: number;
  /** Variables of the environment that the file refers to. */
  readonly env?: readonly string[];
}

const STANDARD_FILE = 'plugboard.yaml';

const EXAMPLES = `
Examples:
  plugboard init                                                       asks
  plugboard init --yes                                                 the demo agent
  plugboard init --agent claude --agent gemini                         agents that are installed here
  plugboard init --from-nanobot ~/.nanobot/config.json                 what nanobot has
  plugboard init --name helper --dialect terminal -- python3 helper.py`;

/** `plugboard init`: a configuration to begin with. */
export function addInit(program: Command, line: CommandLine): void {
  program
    .command('init')
    .description('Write a configuration for the gateway, by asking or by flags.')
    .option('-c, --config <file>', 'the file to write', STANDARD_FILE)
    .option(
      '-a, --agent <name>',
      'an agent that plugboard has a profile for (repeatable); plugboard agents lists them',
      collectValues,
    )
    .option('-n, --name <name>', 'what to call the agent (default: its program)')
    .option(
      '-d, --dialect <name>',
      'the dialect of the command after -- (default: the one in which it answers)',
    )
    .option('-p, --port <number>', 'the port to listen on', '7420')
    .option('-y, --yes', 'ask nothing: what is not said gets its default')
    .option('--from-nanobot <file>', 'take the terminal block and the channels of a nanobot config.json over')
    .option('--data <dir>', 'the data directory of the gateway, where keys of --from-nanobot are kept')
    .option('--no-try', 'do not start the agent to see which dialect it speaks')
    .option('--force', 'also when the file is there already')
    .addHelpText('after', EXAMPLES)
    .action(async (options: InitOptions) => {
      demandRoom(options);
      if (options.fromNanobot !== undefined) return initFromNanobot(options, options.fromNanobot);
      const answers = await answersFor(options, line.agentCommand);
      const { writeSampleConfig } = await import('@plugboard/gateway');
      await writeConfig(options.config, writeSampleConfig(answers));
      tellNext(options.config);
    });
}

function tellNext(config: string): void {
  const named = config === STANDARD_FILE ? '' : ` -c ${quoteWord(config)}`;
  process.stderr.write(`${config} was written. Next: plugboard doctor${named}, then plugboard up${named}\n`);
}

async function initFromNanobot({ config, data }: InitOptions, nanobot: string): Promise<void> {
  const { takeOverNanobot, tellNotes } = await import('../nanobot/take-over.ts');
  const taken = await takeOverNanobot(nanobot, placeOf(data));
  await writeConfig(config, taken.text);
  tellNotes(taken);
  tellNext(config);
}

/** Runs before the questions of `init`, so that an unusable `--config` does not cost the user their answers. */
function demandRoom({ config, force }: InitOptions): void {
  const folder = dirname(config);
  if (!existsSync(folder))
    throw new CommandFailure(
      `There is no folder ${folder}. Make it with mkdir -p ${quoteWord(folder)} first.`,
    );
  if (!isDirectory(folder))
    throw new CommandFailure(`${folder} is not a folder. Name another file with --config.`);
  if (isDirectory(config))
    throw new CommandFailure(`${config} is a folder. Name a file in it with --config.`);
  if (existsSync(config) && force !== true)
    throw new CommandFailure(`${config} is there already. --force writes it anew.`);
}

async function answersFor(options: InitOptions, given: readonly string[]): Promise<Answers> {
  const command = await pinIf(options, given);
  const port = portOf(options.port ?? '');
  if (options.agent !== undefined) {
    if (command.length > 0 || options.name !== undefined || options.dialect !== undefined)
      throw new CommandFailure(
        '--agent names an agent of its own: leave out the command, --name and --dialect.',
      );
    return { ...knownAnswers(await Promise.all(options.agent.map(demandInstalled))), port };
  }
  if (command.length > 0) {
    if (options.dialect !== undefined) dialectOf(options.dialect);
    const name = agentName(options.name ?? nameOf(command[0] ?? ''));
    const tried = await triedIf(options, command);
    const dialect = dialectToWrite(options.dialect, tried);
    const doubt = doubtOf(dialect, tried);
    if (doubt !== undefined) process.stderr.write(`${doubt}\n`);
    return {
      agents: [{ name, ...wireFields(dialect, tried), command: movedWords(command, options.config) }],
      port,
    };
  }
  if (options.yes === true) return { agents: [], port };
  if (!process.stdin.isTTY) {
    throw new CommandFailure(
      'Nobody can be asked here: say --yes for the demo agent, or --dialect NAME -- COMMAND.',
    );
  }
  return askQuestions(options);
}

async function askQuestions(options: InitOptions): Promise<Answers> {
  const keyboard = createInterface({ input: process.stdin, output: process.stderr });
  const leave = new AbortController();
  keyboard.once('close', () => leave.abort());
  const question: Question = async (text, standard, read) => {
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
    const known = await offerInstalled(question);
    if (known.length > 0) return { ...knownAnswers(known), port: await askPort() };
    const command = await question('The command of your agent (nothing: the demo agent)', '', (said) => said);
    if (command === '') return { agents: [], port: await askPort() };
    const given = argvOf(command);
    const words = await pinIf(options, given);
    const tried = await triedIf(options, words, leave.signal);
    const dialect = await question(
      `Its dialect (${Object.keys(dialects).join(', ')})`,
      options.dialect ?? tried?.dialects[0] ?? PLAIN_DIALECT,
      dialectOf,
    );
    const name = await question('What to call it', options.name ?? nameOf(command), agentName);
    const typed = words === given ? command : words.join(' ');
    const moved = toTypedCommand(typed, dialect, options.config);
    return { agents: [{ name, ...wireFields(dialect, tried), command: moved }], port: await askPort() };
  } catch (error) {
    if (leave.signal.aborted) throw new CommandFailure('Nothing was written.', 130);
    throw error;
  } finally {
    keyboard.close();
  }
}

type Question = <T>(text: string, standard: string, read: (said: string) => T) => Promise<T>;

/** Asks which of the known agents on this machine are to be in the file. */
async function offerInstalled(question: Question): Promise<readonly InstalledAgent[]> {
  const installed = (await findInstalled(process.env)).filter(({ version }) => version !== undefined);
  if (installed.length === 0) return [];
  const names = installed.map(({ agent }) => agent.name);
  for (const { agent, version = '', login } of installed)
    process.stderr.write(
      `${agent.name}: ${agent.title}, ${terminalText(version)}${login === undefined ? ', no login seen' : ''}\n`,
    );
  return question(
    'Which of these (names with commas; - for none, to name a command)',
    names.join(','),
    (said) => {
      const chosen = said === '-' ? [] : said.split(/[\s,]+/).filter((name) => name !== '');
      const unknown = chosen.find((name) => !names.includes(name));
      if (unknown !== undefined) throw new CommandFailure(`${unknown} is not one of ${names.join(', ')}.`);
      return installed.filter(({ agent }) => chosen.includes(agent.name));
    },
  );
}

async function demandInstalled(name: string): Promise<InstalledAgent> {
  const agent = demandKnownAgent(name);
  const found = await examineAgent(agent, process.env);
  if (found.path !== undefined) return found;
  const [program = name] = agent.profile.command;
  throw new CommandFailure(
    `${agent.title} is not installed: there is no program ${program}. ${agent.install}`,
  );
}

/**
 * The agents for the file. An agent gets a base set of variables: a key that is its only login is named in the file, and
 * read from the environment of the gateway.
 */
function knownAnswers(found: readonly InstalledAgent[]): Pick<Answers, 'agents' | 'env'> {
  const keys = found.map(({ agent, login }) =>
    login !== undefined && agent.keys.includes(login) ? login : undefined,
  );
  const agents = found.map(({ agent }, at): Agent => {
    const { env = {}, dialect, ...fields } = agentFields(agent);
    const key = keys[at];
    const all = { ...env, ...(key === undefined ? {} : { [key]: `\${${key}}` }) };
    return {
      name: agent.name,
      dialect: dialectOf(dialect),
      ...fields,
      ...(Object.keys(all).length === 0 ? {} : { env: all }),
    };
  });
  const named = [...new Set(keys.filter((key) => key !== undefined))];
  return { agents, ...(named.length === 0 ? {} : { env: named }) };
}

/** Asks the registry for the version behind a launcher such as `npx`, unless `--no-try` forbids to start anything. */
async function pinIf(options: InitOptions, command: readonly string[]): Promise<readonly string[]> {
  if (!options.try) return command;
  const { command: pinned, remark } = await pinLauncher(command);
  if (remark !== undefined) process.stderr.write(`${terminalText(remark)}\n`);
  return pinned;
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

/** The settings of a bare command are written, unless the agent was seen to print text: `rich` passes text on, too. */
function wireFields(dialect: DialectName, tried: Tried | undefined): Pick<Agent, 'dialect' | 'protocol'> {
  const hasFrames = dialects[dialect].commandSettings !== undefined && tried?.plain !== true;
  return hasFrames ? { dialect, protocol: 'rich' } : { dialect };
}

/** A typed command as `tryAgent` starts it: by a shell where it is more than words. */
function argvOf(command: string): readonly string[] {
  return /^[\w\s./:=@%+,-]*$/.test(command) ? command.split(/\s+/) : ['/bin/sh', '-c', command];
}

/** A dialect with `takesWords` gets an array of words; the others get the command as one string. */
function toTypedCommand(command: string, dialect: DialectName, config: string): readonly string[] | string {
  return dialects[dialect].takesWords === true
    ? movedWords(command.split(/\s+/), config)
    : movedText(command, config);
}

/** Loads the written file with `loadConfig`; when that throws, the previous content is restored. */
async function writeConfig(file: string, text: string): Promise<void> {
  const { configSchema } = await import('@plugboard/gateway');
  const before = existsSync(file) ? readFileSync(file) : undefined;
  saveFile(file, text);
  try {
    await loadConfig(file, placeOf(undefined));
  } catch (error) {
    if (before === undefined) rmSync(file);
    else writeFileSync(file, before);
    throw error;
  }
  const schema = join(dirname(file), 'plugboard.schema.json');
  saveFile(schema, `${JSON.stringify(configSchema(), undefined, 2)}\n`);
}

function saveFile(file: string, text: string): void {
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
