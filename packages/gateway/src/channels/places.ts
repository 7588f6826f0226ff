import type { Inbound } from './channel.ts';

/**
 * Which messages of a group share a session:
 * - `thread`: those of a place, which is a thread or topic where the platform has them.
 * - `group`: those of all threads of the group.
 * - `person`: those of one person in a place.
 */
export type SessionsBy = 'thread' | 'group' | 'person';

/** No platform has it in the ids of its places. */
const SEPARATOR = '\n';

/** The place of the session that a message belongs to. */
export function sessionPlace({ place, group, sender }: Inbound, by: SessionsBy): string {
  if (group === undefined) return place;
  if (by === 'group') return group.place;
  return by === 'person' ? `${place}${SEPARATOR}${sender}` : place;
}

/** The place of a session as the platform knows it. */
export function platformPlace(place: string): string {
  const at = place.indexOf(SEPARATOR);
  return at === -1 ? place : place.slice(0, at);
}
