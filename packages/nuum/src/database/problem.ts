import { describeFailure, type FailureWords } from '@plugboard/sqlite';
import { MemoryError, type MemoryErrorCode } from './error.ts';

const UNWRITABLE = 'The memory {file} cannot be written to; check its permissions.';

const WORDS: FailureWords<MemoryErrorCode> = {
  'in-use': ['in-use', 'The memory {file} is in use by {holder}; one database is one agent.'],
  foreign: ['foreign', 'The file {file} is a database of another program; choose another file.'],
  newer: ['newer', 'The memory {file} was written by a newer version of this program; use that version.'],
  busy: ['in-use', 'The memory {file} is locked by another process; try again when that is done.'],
  'read-only': ['read-only', UNWRITABLE],
  'no-access': ['read-only', UNWRITABLE],
  'read-only-disk': ['read-only', 'The memory {file} cannot be written to: its file system is read-only.'],
  io: [
    'unavailable',
    'The memory {file} could not be read or written by the disk; check the disk and restart.',
  ],
  corrupt: ['corrupt', 'The memory {file} is damaged; restore it from a backup or begin with a new file.'],
  full: ['full', 'The memory {file} cannot grow: the disk is full; make room and try again.'],
  'cannot-open': ['unavailable', 'The memory {file} cannot be opened; check its path and permissions.'],
  'not-a-database': ['foreign', 'The memory {file} is not a database; choose another file.'],
  'no-directory': [
    'unavailable',
    'The memory {file} cannot be opened: its directory does not exist; create that first.',
  ],
  'not-a-directory': [
    'unavailable',
    'The memory {file} cannot be opened: a part of its path is not a directory.',
  ],
  'is-a-directory': ['unavailable', 'The memory {file} cannot be opened: it is a directory; name a file.'],
  closed: ['closed', 'The memory {file} is closed.'],
  other: ['unavailable', 'The memory {file} cannot be used: {message}.'],
};

/** Turns a failure of SQLite or of the file system into a `MemoryError` that names the file; leaves every other error alone. */
export function memoryProblem(file: string, error: unknown): unknown {
  const described = describeFailure(error, file, WORDS);
  return described === undefined ? error : new MemoryError(...described, error);
}
