/**
 * - `in-use`: another process has the memory.
 * - `read-only`, `full`, `corrupt`, `unavailable`: failures of the disk or of SQLite.
 * - `foreign`: a database of another program; `newer`: written by a later version of this program.
 * - `outdated`: its migrations are applied when it is opened for writing; with `readOnly` it cannot be read before.
 * - `closed`: after `Memory.close`.
 * - `conflict`: another writer has changed the entry; `not-found`: there is no such entry or file.
 * - `invalid`: a parameter is out of range.
 */
export type MemoryErrorCode =
  | 'in-use'
  | 'read-only'
  | 'full'
  | 'corrupt'
  | 'unavailable'
  | 'foreign'
  | 'newer'
  | 'outdated'
  | 'closed'
  | 'conflict'
  | 'not-found'
  | 'invalid';

/** Thrown before a write. The message names the file or entry and says how to go on. */
export class MemoryError extends Error {
  readonly code: MemoryErrorCode;

  constructor(code: MemoryErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'MemoryError';
    this.code = code;
  }
}
