import { homedir } from 'node:os';
import { basename, extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDialectName, nearest, type Profile } from '@plugboard/host';
import { type DialectName, dialects, type Settings } from '@plugboard/protocol';
import type { Command } from 'commander';
import { CommandFailure } from './failure.ts';
import { profileIn, refuseBoth } from './mistaken.ts';
import type { CommandLine } from './program.ts';
import { absoluteWords } from './project-root.ts';
import { withFields } from './set.ts';

/** The options by which every command is told which agent it is about. */
export interface TargetOptions {
  readonly dialect?: string;
  readonly demo?: boolean;
  readonly workspace?: string;
  readonly timeout?: string;
  readonly set?: readonly string[];
}

/** Adds those options to a command. */
export function addTargetOptions(command: Command): Command {
  return command
    .argument('[profile]', 'a profile: ours, an AgentProc YAML, or a nanobot config.json')
    .option(
      '-d, --dialect <name>',
      `dialect of the command after --, or of a profile that names none: ${Object.keys(dialects).join(', ')}`,
    )
    .option('--demo', 'the agent that comes with plugboard')
    .option('--workspace <dir>', 'the directory the agent works in (default: here)')
    .option('--timeout <seconds>', 'how long a turn may take; 0 is for ever')
    .option('--set <field=value>', 'a field of the dialect, such as protocol=plain (repeatable)', collect);
}

/** Options that can be given more than once. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** Finds out which agent is meant; throws a CommandFailure or ProfileError when that is not clear. */
export async function resolveTarget(
  file: string | undefined,
  options: TargetOptions,
  line: CommandLine,
): Promise<Profile> {
  const profile = await findProfile(file, options, line);
  const settings = await settingsFrom(profile, options);
  return {
    ...profile,
    settings,
    ...(options.workspace === undefined ? {} : { workspace: fullPath(options.workspace) }),
  };
}

async function findProfile(
  file: string | undefined,
  options: TargetOptions,
  line: CommandLine,
): Promise<Profile> {
  if (options.demo === true) {
    const sentence = '--demo is an agent of its own: leave out the profile and the command.';
    if (line.agentCommand.length > 0) throw new CommandFailure(sentence);
    if (file !== undefined) refuseBoth(file, line, sentence);
    return demoProfile(options.dialect);
  }
  if (line.agentCommand.length > 0) {
    if (file !== undefined) refuseBoth(file, line, 'Give either a profile or a command after --, not both.');
    const argv =
      options.workspace === undefined ? line.agentCommand : absoluteWords(line.agentCommand, process.cwd());
    return commandProfile(argv, dialectOf(options.dialect));
  }
  if (file === undefined) {
    throw new CommandFailure(
      'Name an agent: a profile, or --dialect NAME -- COMMAND, or --demo to try it out.',
    );
  }
  return profileAt(file, options.dialect === undefined ? undefined : dialectOf(options.dialect));
}

/** The dialect is for profiles that name none; one that names another is not ours to overrule. */
async function profileAt(file: string, dialect: DialectName | undefined): Promise<Profile> {
  const workspace = process.cwd();
  const profile = await profileIn(file, dialect === undefined ? { workspace } : { workspace, dialect });
  if (dialect === undefined || profile.dialect === dialect) return profile;
  throw new CommandFailure(
    `${file} says that its agent speaks ${profile.dialect}: leave out --dialect ${dialect}, or change the profile.`,
  );
}

/** A command typed by a person runs in that person's own environment. */
function commandProfile(argv: readonly string[], dialect: DialectName): Profile {
  const { defaults } = dialects[dialect];
  const rich = dialect === 'terminal' ? { protocol: 'rich' as const } : {};
  const settings = { ...defaults, command: { argv }, ...rich } as Settings;
  return {
    name: basename(argv[0] ?? 'agent'),
    identity: JSON.stringify([dialect, process.cwd(), ...argv]),
    dialect,
    settings,
    inherit: 'all',
    workspace: process.cwd(),
  };
}

/** The agent that comes with plugboard. */
export function demoProfile(dialect: string | undefined): Profile {
  // The program lies beside this module, built or not.
  const agent = fileURLToPath(new URL(`./demo${extname(import.meta.url)}`, import.meta.url));
  const name = dialectOf(dialect ?? 'agentproc');
  const argv = [process.execPath, agent, ...(name === 'nuum' ? ['--stdio'] : [])];
  return { ...commandProfile(argv, name), name: 'demo' };
}

/** The dialect a name stands for; throws when there is none. */
export function dialectOf(name: string | undefined): DialectName {
  if (name === undefined) {
    throw new CommandFailure(
      'Say which dialect the command speaks with --dialect, or ask: plugboard detect -- COMMAND.',
    );
  }
  if (isDialectName(name)) return name;
  const guess = nearest(name, Object.keys(dialects));
  const hint = guess === undefined ? '' : ` Did you mean ${guess}?`;
  throw new CommandFailure(
    `There is no dialect ${name}.${hint} There are: ${Object.keys(dialects).join(', ')}.`,
  );
}

async function settingsFrom(profile: Profile, options: TargetOptions): Promise<Settings> {
  const { timeout, set = [] } = options;
  if (timeout !== undefined && set.some((assignment) => assignment.startsWith('timeout_secs=')))
    throw new CommandFailure('--timeout and --set timeout_secs say the same: keep one of them.');
  const settings =
    timeout === undefined ? profile.settings : { ...profile.settings, timeoutSecs: secondsOf(timeout) };
  return withFields({ ...profile, settings }, set);
}

function secondsOf(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0) {
    throw new CommandFailure(`--timeout ${text}: give a number of seconds, 0 for no limit.`);
  }
  return value;
}

function fullPath(path: string): string {
  if (path === '~' || path.startsWith('~/')) return `${homedir()}${path.slice(1)}`;
  return path.startsWith('/') ? path : `${process.cwd()}/${path}`;
}
