import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { extname } from 'node:path';
import { isDialectName, readProfile } from '@plugboard/host';
import type { Command } from 'commander';
import { CommandFailure } from './failure.ts';
import type { CommandLine } from './program.ts';
import { quoted } from './shell-word.ts';

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
    throw new CommandFailure(`${file} is a program, not a profile. ${advice(command, line)}`);
}

/** What to do about more words than a command takes, where they look like the program that it is about. */
export function separatorAdvice(command: Command, line: CommandLine): string | undefined {
  const [first = ''] = command.args;
  const isForgotten = line.agentCommand.length === 0 && takesProgram(command) && !isNamedAsProfile(first);
  return isForgotten ? advice(command, line) : undefined;
}

/** The words by which a command is called. */
export function fullName(command: Command): string {
  return command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`;
}

function takesProgram(command: Command): boolean {
  return command.parent?.parent === null && TAKES_PROGRAM.has(command.name());
}

/** A profile can be made to start itself: its first line is a comment then. */
function isProfile(file: string, command: Command): Promise<boolean> {
  const { dialect = '' } = command.opts<{ dialect?: string }>();
  return readProfile(file, isDialectName(dialect) ? { dialect } : {}).then(
    () => true,
    () => false,
  );
}

function advice(command: Command, line: CommandLine): string {
  const { own, program } = apart(command, line.own);
  const needsDialect = command.name() !== 'detect' && command.opts().dialect === undefined;
  const dialect = needsDialect ? ['--dialect', 'NAME'] : [];
  const words = ['plugboard', ...own, ...dialect, '--', ...startable(program)];
  return `Put the command after --: ${words.map(quoted).join(' ')}`;
}

/** A program that lies here is not looked for here, unless its name says so. */
function startable([program = '', ...args]: readonly string[]): readonly string[] {
  return [!program.includes('/') && isFile(program) ? `./${program}` : program, ...args];
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** What is ours, and the words that belong to no option: those of the program. */
function apart(command: Command, words: readonly string[]): { own: string[]; program: string[] } {
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

/** A script, or something executable that is not called as profiles are: on some disks every file is executable. */
function isProgram(path: string): boolean {
  const about = statSync(path, { throwIfNoEntry: false });
  if (about?.isFile() !== true) return false;
  if ((about.mode & 0o111) !== 0 && !isNamedAsProfile(path)) return true;
  return beginning(path) === '#!';
}

function isNamedAsProfile(path: string): boolean {
  return PROFILE_ENDINGS.has(extname(path).toLowerCase());
}

function beginning(path: string): string {
  const bytes = Buffer.alloc(2);
  try {
    const file = openSync(path, 'r');
    try {
      return bytes.toString('latin1', 0, readSync(file, bytes));
    } finally {
      closeSync(file);
    }
  } catch {
    // Whoever reads the profile tells why that does not work.
    return '';
  }
}
