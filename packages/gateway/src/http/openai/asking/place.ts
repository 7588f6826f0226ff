import { randomUUID } from 'node:crypto';
import type { Session } from '@plugboard/store';
import { API_CHANNEL, BRIEF_MARK } from '../../../sessions/brief-session.ts';
import type { Pair } from '../conversation/continuations.ts';

/** `place` of a named session. A name is unique per token and agent. */
export function namedPlace(pair: Pair, name: string): string {
  return `${ownPlaces(pair.principal)}${pair.model}/session/${name}`;
}

/** `place` of a session for an `Idempotency-Key`. */
export function keyedPlace(pair: Pair, keyHash: string): string {
  return `${ownPlaces(pair.principal)}${pair.model}/key/${keyHash}`;
}

/** `place` of a new session; a UUID makes it unique. */
export function newPlace(pair: Pair): string {
  return `${ownPlaces(pair.principal)}${pair.model}${BRIEF_MARK}${randomUUID()}`;
}

/** Id of the token that opened the session here; undefined for other sessions. */
export function ownerOf({ channel, place }: Pick<Session, 'channel' | 'place'>): string | undefined {
  const encoded = channel === API_CHANNEL ? /^([^/]*)\//.exec(place)?.[1] : undefined;
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded);
  } catch {
    // `POST /api/sessions` takes any text as a place.
    return undefined;
  }
}

function ownPlaces(principal: string): string {
  return `${encodeURIComponent(principal)}/`;
}
