import { randomUUID } from 'node:crypto';
import type { Session } from '@plugboard/store';
import { API_CHANNEL, BRIEF_MARK } from '../../../sessions/brief-session.ts';
import type { Principal } from '../../auth.ts';
import type { Pair } from '../conversation/continuations.ts';

/** The place of a session that the client named. Every token has its own, and in it every agent. */
export function namedPlace(pair: Pair, name: string): string {
  return `${ownPlaces(pair.principal)}${pair.model}/session/${name}`;
}

/** The place of a request with an Idempotency-Key. */
export function keyedPlace(pair: Pair, keyHash: string): string {
  return `${ownPlaces(pair.principal)}${pair.model}/key/${keyHash}`;
}

/** A place where nobody has been. */
export function newPlace(pair: Pair): string {
  return `${ownPlaces(pair.principal)}${pair.model}${BRIEF_MARK}${randomUUID()}`;
}

/** Whether a session was begun with this token: those of others cannot be continued or read here. */
export function isOwn({ channel, place }: Session, principal: Principal): boolean {
  return channel === API_CHANNEL && place.startsWith(ownPlaces(principal.id));
}

function ownPlaces(principal: string): string {
  return `${encodeURIComponent(principal)}/`;
}
