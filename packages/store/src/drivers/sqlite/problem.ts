import { StoreError, type StoreErrorCode } from '../../contract/errors.ts';

type Meaning = readonly [StoreErrorCode, string];

/** What SQLite's result codes mean for whoever runs the gateway. */
const FROM_SQLITE: Readonly<Record<number, Meaning>> = {
  5: ['in-use', 'is locked by another process'],
  6: ['in-use', 'is locked by another process'],
  8: ['read-only', 'cannot be written to'],
  11: ['corrupt', 'is damaged: restore it from a backup'],
  13: ['full', 'cannot grow: the disk is full'],
  14: ['unavailable', 'cannot be opened'],
  26: ['foreign', 'is not a database'],
  1555: ['conflict', 'has something with the same id already'],
  2067: ['conflict', 'has something with the same id already'],
};

/** What the file system says before SQLite is asked. */
const FROM_FILE_SYSTEM: Readonly<Record<string, Meaning>> = {
  EACCES: ['read-only', 'cannot be written to'],
  EPERM: ['read-only', 'cannot be written to'],
  EROFS: ['read-only', 'cannot be written to'],
  ENOSPC: ['full', 'cannot grow: the disk is full'],
  ENOENT: ['unavailable', 'cannot be opened: its directory does not exist'],
  ENOTDIR: ['unavailable', 'cannot be opened: a part of its path is not a directory'],
  EISDIR: ['unavailable', 'cannot be opened: it is a directory'],
  EEXIST: ['conflict', 'is there already'],
};

/** Turns what SQLite or the file system throws into a sentence that names the file; leaves every other error alone. */
export function storeProblem(file: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StoreError) return error;
  const { code = '', errcode, syscall } = error as Error & Partial<SystemError>;
  if (errcode === undefined && syscall === undefined) return error;
  const known = errcode === undefined ? FROM_FILE_SYSTEM[code] : meaningOf(errcode);
  const [kind, what] = known ?? ['unavailable', `cannot be used: ${error.message}`];
  return new StoreError(kind, `The file ${file} ${what}.`, error);
}

/** The low byte is the kind of problem; the rest, where it matters, is more precise. */
function meaningOf(errcode: number): Meaning | undefined {
  return FROM_SQLITE[errcode] ?? FROM_SQLITE[errcode & 0xff];
}

interface SystemError {
  readonly code: string;
  readonly errcode: number;
  readonly syscall: string;
}
