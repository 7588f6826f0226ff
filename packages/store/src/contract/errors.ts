/** The lease of a `Claim` ran out and `recover` ended its turn. Nothing was written. */
export class LostClaimError extends Error {
  readonly code = 'lost-claim';

  constructor(sessionId: string) {
    super(`The claim on session ${sessionId} was lost.`);
    this.name = 'LostClaimError';
  }
}

/**
 * - `not-found`: no session, turn, delivery or event has the id.
 * - `closed-session`: the session was closed; open its place again for a new one.
 * - `begun`: the turn has an event and cannot be given back.
 * - `conflict`: another record has the `source` or the id, the file exists, or the delivery is not `unknown`.
 * - `closed`: the store was closed.
 * - `busy`: a search took longer than 3 s, 32 others wait, or the index is still being built. Try again later.
 * - `in-use`: another process has the store open.
 * - `full`, `read-only`, `corrupt`, `unavailable`: the disk or the file refuses.
 * - `newer`: a later version of this program wrote the file.
 * - `foreign`: the file is not a store of this program.
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

/** The store refused a call and wrote no part of it. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'StoreError';
    this.code = code;
  }
}
