import { randomUUID } from 'node:crypto';
import type { Session } from '@plugboard/store';
import type { Principal } from '../../auth.ts';
import type { Pair } from '../conversation/continuations.ts';

export const CHANNEL = 'api';

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
  return `${ownPlaces(pair.principal)}${pair.model}/new/${randomUUID()}`;
}

/** Whether a session was begun with this token: those of others cannot be continued or read here. */
export function isOwn({ channel, place }: Session, principal: Principal): boolean {
  return channel === CHANNEL && place.startsWith(ownPlaces(principal.id));
}

function ownPlaces(principal: string): string {
  return `${encodeURIComponent(principal)}/`;
}
