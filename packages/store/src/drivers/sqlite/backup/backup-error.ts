/**
 * - `exists`: a file or directory has the path already.
 * - `kept-exists`: a store was replaced in the same second before, and its second name is taken.
 * - `broken-link`: the path is a symbolic link to a path that does not exist.
 * - `is-directory`, `not-a-file`: the path must be a regular file.
 * - `no-directory`, `not-a-directory`, `unwritable`: no file can be made in the directory; `cause` is the reason for `unwritable`.
 * - `not-found`: the backup does not exist.
 * - `not-a-backup`: the file is not a store, or an empty one.
 * - `media-missing`, `media-changed`: a media file of the backup is absent, shorter, or differs from its checksum.
 * - `foreign-path`: a media record of the backup names a path outside of the media directory.
 */
export type BackupErrorCode =
  | 'exists'
  | 'kept-exists'
  | 'broken-link'
  | 'is-directory'
  | 'not-a-file'
  | 'no-directory'
  | 'not-a-directory'
  | 'unwritable'
  | 'not-found'
  | 'not-a-backup'
  | 'media-missing'
  | 'media-changed'
  | 'foreign-path';

/** Why `backUp` or `restoreStore` refused `path`. Neither has changed a file then. */
export class BackupError extends Error {
  readonly code: BackupErrorCode;
  readonly path: string;

  constructor(code: BackupErrorCode, path: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'BackupError';
    this.code = code;
    this.path = path;
  }
}
