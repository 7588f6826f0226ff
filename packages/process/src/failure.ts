import { constants } from 'node:fs';
import { access, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from './command.ts';
import { ENVIRONMENT_VALUE_LIMIT } from './environment.ts';
import { formatBytes } from './limits/resources.ts';
import { type Kind, kindOf, lookUp } from './lookup.ts';

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

/** Why a process could not be started, or was ended by the system. */
export interface SpawnFailure {
  readonly code: Code;
  /** One sentence: what happened, to what, and what to do. */
  readonly message: string;
  /** As a shell would say it: 127 not found, 126 found but not runnable, 2 for a wrong call. */
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
 * The system has one word for several mistakes (ENOENT for a missing folder, program and interpreter alike). Which it
 * was is looked up here, after the failure, so that a start that works pays nothing for it.
 */
export async function diagnose(error: NodeJS.ErrnoException, started: Command): Promise<SpawnFailure> {
  const command = started.wraps ?? started;
  const reason = error.code ?? error.message;
  switch (reason) {
    case 'ERR_INVALID_ARG_VALUE':
      return invalid(error, command);
    case 'E2BIG':
      return failure('too-long', tooLong(command));
    case 'EAGAIN':
    case 'EMFILE':
    case 'ENFILE':
    case 'ENOMEM':
      return failure(
        'resources',
        `The system has no room for another process (${reason}) to run ${quote(command.file)}; end others or raise the limit.`,
      );
    case 'ENOENT':
    case 'ENOTDIR':
    case 'EACCES':
    case 'ENOEXEC':
    case 'ETXTBSY':
      return (await directoryFailure(command)) ?? (await programFailure(reason, command));
    default:
      return failure(
        'other',
        `${quote(command.file)} could not be started: the system says ${reason}; try it by hand.`,
      );
  }
}

/** Why a command cannot be started, as far as that can be told without starting it. */
export async function foresee(command: Command): Promise<SpawnFailure | undefined> {
  const { kind } = await lookUp(command);
  return kind === 'program' ? undefined : programFailure('ENOENT', command);
}

/** Why a shell that was to become this program has left with 126 or 127; undefined when the program did so itself. */
export async function diagnoseExec(command: Command, code: 126 | 127): Promise<SpawnFailure | undefined> {
  const { path, kind } = await lookUp(command);
  if (kind !== 'program') return programFailure('ENOENT', command);
  const [, interpreter, rest = ''] = /^#![ \t]*(\S+)([^\n]*)/.exec(await firstBytes(path)) ?? [];
  const isThere =
    interpreter === undefined || (!rest.endsWith('\r') && (await kindOf(interpreter)) !== 'missing');
  return isThere || code === 126 ? undefined : programFailure('ENOENT', command);
}

/** More memory was taken than `ResourceLimits` allows. */
export function memoryExceeded({ file }: Command, mostBytes: number): SpawnFailure {
  return failure(
    'memory',
    `${quote(file)} used more than ${formatBytes(mostBytes)} of memory and was ended; raise its limit or have it do less at a time.`,
  );
}

/** The spawn helper is gone, and nobody can tell any more how what it started goes on. */
export function helperLost(command: Command): SpawnFailure {
  const { file } = command.wraps ?? command;
  return failure(
    'helper-lost',
    `The spawn helper that ran ${quote(file)} has died, and ${quote(file)} was ended with it; run the turn again.`,
  );
}

/** Started through a spawner that is no more. */
export function spawnerClosed({ file }: Command): SpawnFailure {
  return failure(
    'closed',
    `${quote(file)} was not started, because the spawner has been closed; open another.`,
  );
}

function failure(code: Code, message: string): SpawnFailure {
  return { code, message, exitCode: EXIT_CODES[code] };
}

async function directoryFailure({ cwd, file }: Command): Promise<SpawnFailure | undefined> {
  if (cwd === undefined) return undefined;
  const mayEnter = await access(cwd, constants.X_OK).then(
    () => true,
    () => false,
  );
  const answers: Readonly<Record<Kind, SpawnFailure | undefined>> = {
    missing: failure(
      'cwd-missing',
      `The working directory ${quote(cwd)} for ${quote(file)} does not exist; create it or name another.`,
    ),
    file: notDirectory(cwd, file),
    program: notDirectory(cwd, file),
    directory: mayEnter
      ? undefined
      : failure(
          'other',
          `The working directory ${quote(cwd)} for ${quote(file)} is closed to us; allow it with chmod +x.`,
        ),
  };
  return answers[await kindOf(cwd)];
}

function notDirectory(cwd: string, file: string): SpawnFailure {
  return failure(
    'cwd-not-directory',
    `The working directory ${quote(cwd)} for ${quote(file)} is not a directory; name another.`,
  );
}

const EMPTY = 'The command is empty; name a program.';

async function notFound({ file, cwd = '.' }: Command): Promise<string> {
  if (file === '') return EMPTY;
  if (file.includes('/')) return `The command ${quote(file)} does not exist; install it or correct the name.`;
  const here = await kindOf(resolve(cwd, file));
  const advice =
    here === 'file' || here === 'program'
      ? `the one in the folder it starts in is called ${quote(`./${file}`)}`
      : 'install it or correct the name';
  return `The command ${quote(file)} was not found on the PATH; ${advice}.`;
}

async function programFailure(reason: string, command: Command): Promise<SpawnFailure> {
  const { path, kind } = await lookUp(command);
  if (kind === 'missing') return failure('not-found', await notFound(command));
  if (kind === 'directory')
    return failure('not-executable', `${quote(path)} is a directory; name a program in it.`);
  if (kind === 'file')
    return failure('not-executable', `${quote(path)} is not executable; allow it with chmod +x.`);
  if (reason === 'ENOENT' || reason === 'ENOTDIR') {
    return failure('bad-interpreter', await badInterpreter(path));
  }
  return failure(
    'not-executable',
    `${quote(path)} cannot be executed (${reason}); check the file and who may use it.`,
  );
}

async function badInterpreter(path: string): Promise<string> {
  const [, name, rest = ''] = /^#![ \t]*(\S+)([^\n]*)/.exec(await firstBytes(path)) ?? [];
  if (name === undefined) {
    return `${quote(path)} needs a loader that is not on this system; install it or a build for this system.`;
  }
  if (rest.endsWith('\r')) {
    return `The first line of ${quote(path)} ends in a carriage return, which is taken for a part of the interpreter's name ${quote(name)}; save the file with line feeds alone, as "tr -d '\\r'" does.`;
  }
  return `${quote(path)} asks for the interpreter ${quote(name)}, which does not exist; install it or correct the first line.`;
}

async function firstBytes(path: string): Promise<string> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return '';
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(256), 0, 256, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await file.close();
  }
}

function invalid(error: Error, command: Command): SpawnFailure {
  if (command.file === '') return failure('not-found', EMPTY);
  const place = nulPlace(command);
  if (place === undefined)
    return failure('other', `${quote(command.file)} could not be started: ${error.message}`);
  return failure(
    'nul',
    `${place} of ${quote(command.file)} holds a zero byte, which no process can be given; remove it.`,
  );
}

function nulPlace({ file, args, cwd, env }: Command): string | undefined {
  const argument = args.findIndex(hasNul);
  if (hasNul(file)) return 'The name';
  if (argument >= 0) return `Argument ${argument + 1}`;
  if (hasNul(cwd ?? '')) return 'The working directory';
  const variable = Object.entries(env).find(([name, value]) => hasNul(name) || hasNul(value));
  return variable && `The environment variable ${quote(variable[0])}`;
}

function hasNul(text: string): boolean {
  return text.includes('\0');
}

/** Names the culprit but never its value, which may be a secret. */
function tooLong({ file, args, env }: Command): string {
  const limit = `at most ${ENVIRONMENT_VALUE_LIMIT} bytes fit; hand it over by stdin or a file`;
  const variable = Object.entries(env).find(([name, value]) => isTooLong(`${name}=${value}`));
  if (variable)
    return `The environment variable ${quote(variable[0])} for ${quote(file)} is too long: ${limit}.`;
  const argument = args.findIndex(isTooLong);
  if (argument >= 0) return `Argument ${argument + 1} of ${quote(file)} is too long: ${limit}.`;
  return `The arguments and environment of ${quote(file)} are too long together; hand over less.`;
}

function isTooLong(text: string): boolean {
  return Buffer.byteLength(text) > ENVIRONMENT_VALUE_LIMIT;
}

function quote(text: string): string {
  return JSON.stringify(text);
}
