import { describeFailure, type FailureWords } from '@plugboard/sqlite';
import { StoreError, type StoreErrorCode } from '../../contract/errors.ts';

const UNWRITABLE = 'The file {file} cannot be written to.';

const WORDS: FailureWords<StoreErrorCode> = {
  'in-use': ['in-use', 'The file {file} is in use by {holder}.'],
  foreign: ['foreign', 'The file {file} is a database of another program.'],
  newer: ['newer', 'The file {file} was written by a newer version of this program.'],
  busy: ['in-use', 'The file {file} is locked by another process.'],
  'read-only': ['read-only', UNWRITABLE],
  'no-access': ['read-only', UNWRITABLE],
  'read-only-disk': ['read-only', UNWRITABLE],
  corrupt: ['corrupt', 'The file {file} is damaged: restore it from a backup.'],
  full: ['full', 'The file {file} cannot grow: the disk is full.'],
  'cannot-open': ['unavailable', 'The file {file} cannot be opened.'],
  'not-a-database': ['foreign', 'The file {file} is not a database.'],
  duplicate: ['conflict', 'The file {file} has something with the same id already.'],
  'no-directory': ['unavailable', 'The file {file} cannot be opened: its directory does not exist.'],
  'not-a-directory': [
    'unavailable',
    'The file {file} cannot be opened: a part of its path is not a directory.',
  ],
  'is-a-directory': ['unavailable', 'The file {file} cannot be opened: it is a directory.'],
  exists: ['conflict', 'The file {file} is there already.'],
  closed: ['closed', 'The store in {file} is closed.'],
  other: ['unavailable', 'The file {file} cannot be used: {message}.'],
};

/** Turns a failure of SQLite or of the file system into a `StoreError` that names the file. Returns other errors unchanged. */
export function storeProblem(file: string, error: unknown): unknown {
  const described = describeFailure(error, file, WORDS);
  return described === undefined ? error : new StoreError(...described, error);
}
