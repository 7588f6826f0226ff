/** A holder whose session was taken from it, because its lease had run out: nothing was written. */
export class LostClaimError extends Error {
  readonly code = 'lost-claim';

  constructor(sessionId: string) {
    super(`The claim on session ${sessionId} was lost.`);
    this.name = 'LostClaimError';
  }
}

/**
 * - `not-found`: there is no such session, turn or delivery.
 * - `closed-session`: the session has ended; its place has to be opened again.
 * - `begun`: the turn has said something and cannot be given back.
 * - `conflict`: something else with this id, or this file, is there already; or it was settled already.
 * - `closed`: the store was closed.
 * - `busy`: a search took too long, too many wait, or the index is still being built; it can be asked for again later.
 * - `in-use`: another process has the store.
 * - `full`, `read-only`, `corrupt`, `unavailable`: what the disk says.
 * - `newer`: a later version of the program wrote it.
 * - `foreign`: it is not a store of this program.
 */
export type StoreErrorCode =
  | 'not-found'
  | 'closed-session'
  | 'begun'
  | 'conflict'
  | 'closed'
  | 'busy'
  | 'in-use'
  | 'full'
  | 'read-only'
  | 'corrupt'
  | 'unavailable'
  | 'newer'
  | 'foreign';

/** Why the store did not do what it was asked: nothing was written. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'StoreError';
    this.code = code;
  }
}
