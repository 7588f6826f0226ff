import { constants } from 'node:fs';
import { access, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from './command.ts';
import { ENVIRONMENT_VALUE_LIMIT } from './environment.ts';
import { formatBytes } from './limits/resources.ts';
import { type FileKind, lookUp, readFileKind } from './program-lookup.ts';

type Code =
  | 'not-found'
  | 'not-executable'
  | 'bad-interpreter'
  | 'cwd-missing'
  | 'cwd-not-directory'
  | 'too-long'
  | 'nul'
  | 'resources'
  | 'helper-lost'
  | 'memory'
  | 'closed'
  | 'other';

/** Why a start failed, or why the system ended the process. */
export interface SpawnFailure {
  readonly code: Code;
  /** One sentence: the cause, the object, the remedy. */
  readonly message: string;
  /** The code of a shell: 127 not found, 126 found but not executable, 2 for a wrong call. */
  readonly exitCode: number;
}

const EXIT_CODES: Readonly<Record<Code, number>> = {
  'not-found': 127,
  'not-executable': 126,
  'bad-interpreter': 126,
  'cwd-missing': 2,
  'cwd-not-directory': 2,
  'too-long': 126,
  nul: 2,
  resources: 126,
  'helper-lost': 137,
  memory: 137,
  closed: 126,
  other: 126,
};

/**
 * ENOENT stands for a missing directory, program or interpreter. This function looks at the files to tell them apart,
 * after the failure, so that a successful start costs nothing.
 */
export async function diagnoseError(error: NodeJS.ErrnoException, started: Command): Promise<SpawnFailure> {
  const command = started.wraps ?? started;
  const reason = error.code ?? error.message;
  switch (reason) {
    case 'ERR_INVALID_ARG_VALUE':
      return diagnoseInvalid(error, command);
    case 'E2BIG':
      return createFailure('too-long', describeTooLong(command));
    case 'EAGAIN':
    case 'EMFILE':
    case 'ENFILE':
    case 'ENOMEM':
      return createFailure(
        'resources',
        `The system has no room for another process (${reason}) to run ${quoteText(command.file)}; end others or raise the limit.`,
      );
    case 'ENOENT':
    case 'ENOTDIR':
    case 'EACCES':
    case 'ENOEXEC':
    case 'ETXTBSY':
      return (await diagnoseDirectory(command)) ?? (await diagnoseProgram(reason, command));
    default:
      return createFailure(
        'other',
        `${quoteText(command.file)} could not be started: the system says ${reason}; try it by hand.`,
      );
  }
}

/** Predicts from the file system alone whether `command` would fail to start. */
export async function foresee(command: Command): Promise<SpawnFailure | undefined> {
  const { kind } = await lookUp(command);
  return kind === 'program' ? undefined : diagnoseProgram('ENOENT', command);
}

/**
 * Explains exit code 126 or 127 of the shell that was to `exec` this program; undefined when the program itself exited
 * so.
 */
export async function diagnoseExec(command: Command, code: 126 | 127): Promise<SpawnFailure | undefined> {
  const { path, kind } = await lookUp(command);
  if (kind !== 'program') return diagnoseProgram('ENOENT', command);
  const [, interpreter, rest = ''] = /^#![ \t]*(\S+)([^\n]*)/.exec(await readFirstBytes(path)) ?? [];
  const isThere =
    interpreter === undefined || (!rest.endsWith('\r') && (await readFileKind(interpreter)) !== 'missing');
  return isThere || code === 126 ? undefined : diagnoseProgram('ENOENT', command);
}

/** The process used more than `ResourceLimits.memoryBytes`. */
export function createMemoryFailure({ file }: Command, mostBytes: number): SpawnFailure {
  return createFailure(
    'memory',
    `${quoteText(file)} used more than ${formatBytes(mostBytes)} of memory and was ended; raise its limit or have it do less at a time.`,
  );
}

/** The spawn helper died. Its processes are killed, because their exits can no longer be observed. */
export function createHelperLostFailure(command: Command): SpawnFailure {
  const { file } = command.wraps ?? command;
  return createFailure(
    'helper-lost',
    `The spawn helper that ran ${quoteText(file)} has died, and ${quoteText(file)} was ended with it; run the turn again.`,
  );
}

/** `spawn` was called on a spawner after `close`. */
export function createClosedFailure({ file }: Command): SpawnFailure {
  return createFailure(
    'closed',
    `${quoteText(file)} was not started, because the spawner has been closed; open another.`,
  );
}

function createFailure(code: Code, message: string): SpawnFailure {
  return { code, message, exitCode: EXIT_CODES[code] };
}

async function diagnoseDirectory({ cwd, file }: Command): Promise<SpawnFailure | undefined> {
  if (cwd === undefined) return undefined;
  const mayEnter = await access(cwd, constants.X_OK).then(
    () => true,
    () => false,
  );
  const answers: Readonly<Record<FileKind, SpawnFailure | undefined>> = {
    missing: createFailure(
      'cwd-missing',
      `The working directory ${quoteText(cwd)} for ${quoteText(file)} does not exist; create it or name another.`,
    ),
    file: createNotDirectoryFailure(cwd, file),
    program: createNotDirectoryFailure(cwd, file),
    directory: mayEnter
      ? undefined
      : createFailure(
          'other',
          `The working directory ${quoteText(cwd)} for ${quoteText(file)} is closed to us; allow it with chmod +x.`,
        ),
  };
  return answers[await readFileKind(cwd)];
}

function createNotDirectoryFailure(cwd: string, file: string): SpawnFailure {
  return createFailure(
    'cwd-not-directory',
    `The working directory ${quoteText(cwd)} for ${quoteText(file)} is not a directory; name another.`,
  );
}

const EMPTY = 'The command is empty; name a program.';

async function describeNotFound({ file, cwd = '.' }: Command): Promise<string> {
  if (file === '') return EMPTY;
  if (file.includes('/'))
    return `The command ${quoteText(file)} does not exist; install it or correct the name.`;
  const here = await readFileKind(resolve(cwd, file));
  const advice =
    here === 'file' || here === 'program'
      ? `the one in the folder it starts in is called ${quoteText(`./${file}`)}`
      : 'install it or correct the name';
  return `The command ${quoteText(file)} was not found on the PATH; ${advice}.`;
}

async function diagnoseProgram(reason: string, command: Command): Promise<SpawnFailure> {
  const { path, kind } = await lookUp(command);
  if (kind === 'missing') return createFailure('not-found', await describeNotFound(command));
  if (kind === 'directory')
    return createFailure('not-executable', `${quoteText(path)} is a directory; name a program in it.`);
  if (kind === 'file')
    return createFailure('not-executable', `${quoteText(path)} is not executable; allow it with chmod +x.`);
  if (reason === 'ENOENT' || reason === 'ENOTDIR') {
    return createFailure('bad-interpreter', await describeBadInterpreter(path));
  }
  return createFailure(
    'not-executable',
    `${quoteText(path)} cannot be executed (${reason}); check the file and who may use it.`,
  );
}

async function describeBadInterpreter(path: string): Promise<string> {
  const [, name, rest = ''] = /^#![ \t]*(\S+)([^\n]*)/.exec(await readFirstBytes(path)) ?? [];
  if (name === undefined) {
    return `${quoteText(path)} needs a loader that is not on this system; install it or a build for this system.`;
  }
  if (rest.endsWith('\r')) {
    return `The first line of ${quoteText(path)} ends in a carriage return, which is taken for a part of the interpreter's name ${quoteText(name)}; save the file with line feeds alone, as "tr -d '\\r'" does.`;
  }
  return `${quoteText(path)} asks for the interpreter ${quoteText(name)}, which does not exist; install it or correct the first line.`;
}

async function readFirstBytes(path: string): Promise<string> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return '';
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(256), 0, 256, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await file.close();
  }
}

function diagnoseInvalid(error: Error, command: Command): SpawnFailure {
  if (command.file === '') return createFailure('not-found', EMPTY);
  const place = describeNulPlace(command);
  if (place === undefined)
    return createFailure('other', `${quoteText(command.file)} could not be started: ${error.message}`);
  return createFailure(
    'nul',
    `${place} of ${quoteText(command.file)} holds a zero byte, which no process can be given; remove it.`,
  );
}

function describeNulPlace({ file, args, cwd, env }: Command): string | undefined {
  const argument = args.findIndex(hasNul);
  if (hasNul(file)) return 'The name';
  if (argument >= 0) return `Argument ${argument + 1}`;
  if (hasNul(cwd ?? '')) return 'The working directory';
  const variable = Object.entries(env).find(([name, value]) => hasNul(name) || hasNul(value));
  return variable && `The environment variable ${quoteText(variable[0])}`;
}

function hasNul(text: string): boolean {
  return text.includes('\0');
}

/** Names the variable or argument but not its value, which may be a secret. */
function describeTooLong({ file, args, env }: Command): string {
  const limit = `at most ${ENVIRONMENT_VALUE_LIMIT} bytes fit; hand it over by stdin or a file`;
  const variable = Object.entries(env).find(([name, value]) => isTooLong(`${name}=${value}`));
  if (variable)
    return `The environment variable ${quoteText(variable[0])} for ${quoteText(file)} is too long: ${limit}.`;
  const argument = args.findIndex(isTooLong);
  if (argument >= 0) return `Argument ${argument + 1} of ${quoteText(file)} is too long: ${limit}.`;
  return `The arguments and environment of ${quoteText(file)} are too long together; hand over less.`;
}

function isTooLong(text: string): boolean {
  return Buffer.byteLength(text) > ENVIRONMENT_VALUE_LIMIT;
}

function quoteText(text: string): string {
  return JSON.stringify(text);
}
