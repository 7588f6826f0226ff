import { join } from 'node:path';
import type { BackupError, BackupErrorCode } from '@plugboard/store/sqlite';
import { CommandFailure } from '../failure.ts';
import { reasonFor } from '../system-problem.ts';

const NO_BACKUP = 'Name a file that plugboard db backup has made.';
const WITHOUT_MEDIA = 'or restore without files: --no-media.';

type Advice = Partial<Record<BackupErrorCode, string>>;

/** Remedy for each `code` of a refused `plugboard db backup`. */
const BACKUP_ADVICE: Advice = {
  exists: 'Name a new file.',
  'broken-link': 'Name a new file.',
  'no-directory': 'Make it, or name a file elsewhere.',
  'not-a-directory': 'Name one elsewhere.',
  unwritable: 'Name a file elsewhere.',
};

/** Remedy for each `code` of a refused `plugboard db restore`. */
const RESTORE_ADVICE: Advice = {
  exists: 'With --force it is kept beside and replaced.',
  'broken-link': 'Bring that back, or remove the link.',
  'not-found': NO_BACKUP,
  'is-directory': NO_BACKUP,
  'not-a-file': NO_BACKUP,
  'not-a-backup': NO_BACKUP,
  'media-missing': `Bring them there, ${WITHOUT_MEDIA}`,
  'media-changed': `Bring it there as it was, ${WITHOUT_MEDIA}`,
};

/** Codes with exit code 1, since the arguments were right. Every other code exits with 2. */
const FAILED: ReadonlySet<BackupErrorCode> = new Set([
  'kept-exists',
  'unwritable',
  'media-missing',
  'media-changed',
  'foreign-path',
]);

/** Turns a `BackupError` of `backUp` into the sentence, the advice and the exit code of the command. */
export function failedBackup(error: BackupError): CommandFailure {
  const advice =
    error.code === 'is-directory'
      ? `Name a new file in it, such as ${join(error.path, 'copy.db')}.`
      : BACKUP_ADVICE[error.code];
  return failureOf(error, advice);
}

/** The same for a `BackupError` of `restoreStore`. */
export function failedRestore(error: BackupError): CommandFailure {
  return failureOf(error, RESTORE_ADVICE[error.code]);
}

function failureOf({ code, message, cause }: BackupError, advice: string | undefined): CommandFailure {
  const sentence = code === 'unwritable' ? `${message.slice(0, -1)}: ${reasonFor(cause)}.` : message;
  return new CommandFailure(
    advice === undefined ? sentence : `${sentence} ${advice}`,
    FAILED.has(code) ? 1 : 2,
  );
}
