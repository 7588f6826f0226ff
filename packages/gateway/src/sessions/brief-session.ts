import type { Session } from '@plugboard/store';

/** The channel of programs. */
export const API_CHANNEL = 'api';

/** Part of the place of a session that a program began without naming it. */
export const BRIEF_MARK = '/new/';

/** Whether a session was begun by a request that names none: most of them have one turn. */
export function isBriefSession({ channel, place }: Session): boolean {
  return channel === API_CHANNEL && place.includes(BRIEF_MARK);
}
