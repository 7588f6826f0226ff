import { MemoryError, type MemoryErrorCode } from './error.ts';

type Meaning = readonly [MemoryErrorCode, string];

/** What SQLite's result codes mean for whoever runs the agent. */
const FROM_SQLITE: Readonly<Record<number, Meaning>> = {
  5: ['in-use', 'is locked by another process; try again when that is done'],
  6: ['in-use', 'is locked by another process; try again when that is done'],
  8: ['read-only', 'cannot be written to; check its permissions'],
  10: ['unavailable', 'could not be read or written by the disk; check the disk and restart'],
  11: ['corrupt', 'is damaged; restore it from a backup or begin with a new file'],
  13: ['full', 'cannot grow: the disk is full; make room and try again'],
  14: ['unavailable', 'cannot be opened; check its path and permissions'],
  26: ['foreign', 'is not a database; choose another file'],
};

/** What the file system says before SQLite is asked. */
const FROM_FILE_SYSTEM: Readonly<Record<string, Meaning>> = {
  EACCES: ['read-only', 'cannot be written to; check its permissions'],
  EPERM: ['read-only', 'cannot be written to; check its permissions'],
  EROFS: ['read-only', 'cannot be written to: its file system is read-only'],
  ENOSPC: ['full', 'cannot grow: the disk is full; make room and try again'],
  ENOENT: ['unavailable', 'cannot be opened: its directory does not exist; create that first'],
  ENOTDIR: ['unavailable', 'cannot be opened: a part of its path is not a directory'],
  EISDIR: ['unavailable', 'cannot be opened: it is a directory; name a file'],
};

interface SystemError {
  readonly code: string;
  readonly errcode: number;
  readonly syscall: string;
}

/** Turns what SQLite or the file system throws into a sentence that names the file; leaves every other error alone. */
export function memoryProblem(file: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof MemoryError) return error;
  const { code = '', errcode, syscall } = error as Error & Partial<SystemError>;
  if (code === 'ERR_INVALID_STATE') return new MemoryError('closed', `The memory ${file} is closed.`, error);
  if (errcode === undefined && syscall === undefined) return error;
  // The low byte of SQLite's code is the kind of problem.
  const known = errcode === undefined ? FROM_FILE_SYSTEM[code] : FROM_SQLITE[errcode & 0xff];
  const [kind, what] = known ?? ['unavailable', `cannot be used: ${error.message}`];
  return new MemoryError(kind, `The memory ${file} ${what}.`, error);
}
