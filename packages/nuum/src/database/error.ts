/**
 * - `in-use`: another process has the memory.
 * - `read-only`, `full`, `corrupt`, `unavailable`: what the disk says.
 * - `foreign`: it is not a memory of this program; `newer`: a later version of the program wrote it.
 * - `outdated`: it must be opened for writing once before it can be looked into.
 * - `closed`: the memory was closed.
 * - `conflict`: somebody else has changed the same thing meanwhile; `not-found`: there is no such thing.
 * - `invalid`: what was asked for makes no sense.
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

/** Why the memory did not do what it was asked: nothing was written. */
export class MemoryError extends Error {
  readonly code: MemoryErrorCode;

  constructor(code: MemoryErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'MemoryError';
    this.code = code;
  }
}
