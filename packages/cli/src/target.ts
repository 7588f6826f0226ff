import { homedir } from 'node:os';
import { basename, extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDialectName, makeProfile, nearest, type Profile } from '@plugboard/host';
import { lookUp } from '@plugboard/process';
import { DEFAULT_DIALECT, type DialectName, dialects, type Settings } from '@plugboard/protocol';
import type { Command } from 'commander';
import type { CommandLine } from './command-line.ts';
import { CommandFailure } from './failure.ts';
import { agentFields } from './known-agents/agent-fields.ts';
import { findKnownAgent, KNOWN_AGENTS, type KnownAgent } from './known-agents/known-agents.ts';
import { profileIn, refuseBoth } from './mistaken.ts';
import { absoluteWords } from './project-root.ts';
import { withFields } from './set.ts';

/** The options by which every command is told which agent it is about. */
export interface TargetOptions {
  readonly dialect?: string;
  readonly demo?: boolean;
  /** The name of a known agent. */
  readonly agent?: string;
  readonly workspace?: string;
  readonly timeout?: string;
  readonly set?: readonly string[];
}

/** Adds those options to a command; `agent` is the form in which it takes the name of an agent. */
export function addTargetOptions(command: Command, agent = '--agent <name>'): Command {
  return command
    .argument('[profile]', 'a profile: ours, an AgentProc YAML, or a nanobot config.json')
    .option(
      '-d, --dialect <name>',
      `dialect of the command after --, or of a profile that names none: ${Object.keys(dialects).join(', ')}`,
    )
    .option('--demo', 'the agent that comes with plugboard')
    .option(agent, 'an agent that plugboard has a profile for; plugboard agents lists them')
    .option('--workspace <dir>', 'the directory the agent works in (default: here)')
    .option('--timeout <seconds>', 'how long a turn may take; 0 is for ever')
    .option(
      '--set <field=value>',
      'a field of the dialect, such as protocol=plain (repeatable)',
      collectValues,
    );
}

/** Options that can be given more than once. */
export function collectValues(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/**
 * Resolves the profile of a command line; throws a `CommandFailure` or `ProfileError` when it is missing or ambiguous.
 */
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
  if (options.agent !== undefined) {
    const sentence = '--agent names an agent of its own: leave out the profile and the command.';
    if (line.agentCommand.length > 0) throw new CommandFailure(sentence);
    if (file !== undefined) refuseBoth(file, line, sentence);
    return knownProfile(options.agent);
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

/** `--dialect` applies to profiles that name none; a contradiction throws. */
async function profileAt(file: string, dialect: DialectName | undefined): Promise<Profile> {
  const workspace = process.cwd();
  const profile = await profileIn(file, dialect === undefined ? { workspace } : { workspace, dialect });
  if (dialect === undefined || profile.dialect === dialect) return profile;
  throw new CommandFailure(
    `${file} says that its agent speaks ${profile.dialect}: leave out --dialect ${dialect}, or change the profile.`,
  );
}

/** A command from the command line inherits the whole environment of the user, unlike the command of a profile. */
function commandProfile(argv: readonly string[], dialect: DialectName): Profile {
  const { defaults, commandSettings } = dialects[dialect];
  const settings = { ...defaults, ...commandSettings, command: { argv } } as Settings;
  return {
    name: basename(argv[0] ?? 'agent'),
    identity: JSON.stringify([dialect, process.cwd(), ...argv]),
    dialect,
    settings,
    inherit: 'all',
    workspace: process.cwd(),
  };
}

/** The profile of a known agent. Like a command from the command line, it inherits the environment of the user. */
async function knownProfile(name: string): Promise<Profile> {
  const agent = demandKnownAgent(name);
  await demandKnownProgram(agent);
  const directory = process.cwd();
  const profile = await makeProfile({ ...agentFields(agent), name, inherit: true }, { name, directory });
  return { ...profile, identity: JSON.stringify(['known-agent', name, directory]) };
}

async function demandKnownProgram({ title, install, profile }: KnownAgent): Promise<void> {
  const [file = ''] = profile.command;
  const { kind } = await lookUp({
    file,
    args: [],
    cwd: process.cwd(),
    env: { PATH: process.env.PATH ?? '' },
  });
  if (kind !== 'missing') return;
  throw new CommandFailure(
    `${title} is not installed: there is no program ${file} on the PATH. Install it: ${install}`,
    127,
  );
}

/** Throws with the names that there are. */
export function demandKnownAgent(name: string): KnownAgent {
  const agent = findKnownAgent(name);
  if (agent !== undefined) return agent;
  const names = KNOWN_AGENTS.map((one) => one.name);
  const guess = nearest(name, names);
  const hint = guess === undefined ? '' : ` Did you mean ${guess}?`;
  throw new CommandFailure(`There is no profile for ${name}.${hint} There are: ${names.join(', ')}.`);
}

/** The agent that comes with plugboard. */
export function demoProfile(dialect: string | undefined): Profile {
  // `demo.ts` in the sources, `demo.js` after the build.
  const agent = fileURLToPath(new URL(`./demo${extname(import.meta.url)}`, import.meta.url));
  const name = dialectOf(dialect ?? DEFAULT_DIALECT);
  const argv = [process.execPath, agent, ...(dialects[name].startArguments ?? [])];
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
