import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { extname } from 'node:path';
import { isDialectName, readProfile } from '@plugboard/host';
import type { Command } from 'commander';
import type { CommandLine } from './command-line.ts';
import { CommandFailure } from './failure.ts';
import { quoteWord } from './shell-word.ts';

/** The commands that are about a program after `--`. */
const TAKES_PROGRAM: ReadonlySet<string> = new Set(['run', 'chat', 'serve', 'check', 'detect', 'init']);

const PROFILE_ENDINGS: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json']);

/** Ends a command that was given a program where none stands: the `--` before it was forgotten, or is one too many. */
export async function demandSeparator(command: Command, line: CommandLine): Promise<void> {
  if (line.agentCommand.length > 0) {
    if (takesProgram(command)) return;
    throw new CommandFailure(`${fullName(command)} starts no program: leave out the -- and what follows it.`);
  }
  const [file] = command.args;
  if (file !== undefined && takesProgram(command) && isProgram(file) && !(await isProfile(file, command)))
    throw new CommandFailure(`${file} is a program, not a profile. ${adviseSeparator(command, line)}`);
}

/** The hint to write `--`, when the surplus words of `command` look like the command of an agent. */
export function separatorAdvice(command: Command, line: CommandLine): string | undefined {
  const [first = ''] = command.args;
  const isForgotten = line.agentCommand.length === 0 && takesProgram(command) && !isNamedAsProfile(first);
  return isForgotten ? adviseSeparator(command, line) : undefined;
}

/** The name of a command with those of its parents. */
export function fullName(command: Command): string {
  return command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`;
}

function takesProgram(command: Command): boolean {
  return command.parent?.parent === null && TAKES_PROGRAM.has(command.name());
}

/** A profile may be executable: a `#!` line is a comment in YAML. */
function isProfile(file: string, command: Command): Promise<boolean> {
  const { dialect = '' } = command.opts<{ dialect?: string }>();
  return readProfile(file, isDialectName(dialect) ? { dialect } : {}).then(
    () => true,
    () => false,
  );
}

function adviseSeparator(command: Command, line: CommandLine): string {
  const { own, program } = splitWords(command, line.own);
  const needsDialect = command.name() !== 'detect' && command.opts().dialect === undefined;
  const dialect = needsDialect ? ['--dialect', 'NAME'] : [];
  const words = ['plugboard', ...own, ...dialect, '--', ...toStartable(program)];
  return `Put the command after --: ${words.map(quoteWord).join(' ')}`;
}

/** Prefixes a file of this directory with `./`, because a name without a slash is looked up in PATH. */
function toStartable([program = '', ...args]: readonly string[]): readonly string[] {
  return [!program.includes('/') && isFile(program) ? `./${program}` : program, ...args];
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** Splits `words` into those of plugboard and its options, and those of the agent's program. */
function splitWords(command: Command, words: readonly string[]): { own: string[]; program: string[] } {
  const own: string[] = [];
  const program: string[] = [];
  for (const [at, word] of words.entries()) {
    const isOwn = at === 0 || word.startsWith('-') || takesValue(command, words[at - 1] ?? '');
    (isOwn ? own : program).push(word);
  }
  return { own, program };
}

function takesValue({ options }: Command, word: string): boolean {
  return options.some(
    ({ short, long, required, optional }) => (short === word || long === word) && (required || optional),
  );
}

/**
 * A file that begins with `#!`, or an executable file without the name of a profile: some file systems mark every file
 * as executable.
 */
function isProgram(path: string): boolean {
  const about = statSync(path, { throwIfNoEntry: false });
  if (about?.isFile() !== true) return false;
  if ((about.mode & 0o111) !== 0 && !isNamedAsProfile(path)) return true;
  return readBeginning(path) === '#!';
}

function isNamedAsProfile(path: string): boolean {
  return PROFILE_ENDINGS.has(extname(path).toLowerCase());
}

function readBeginning(path: string): string {
  const bytes = Buffer.alloc(2);
  try {
    const file = openSync(path, 'r');
    try {
      return bytes.toString('latin1', 0, readSync(file, bytes));
    } finally {
      closeSync(file);
    }
  } catch {
    // An unreadable file is reported by `profileIn`, which reads it next.
    return '';
  }
}
