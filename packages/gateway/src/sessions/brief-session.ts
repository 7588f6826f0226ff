import type { Session } from '@plugboard/store';

/** `channel` of sessions that HTTP clients open. */
export const API_CHANNEL = 'api';

/** Substring of `place` in a session that an API request opened without a session name. */
export const BRIEF_MARK = '/new/';

/** Whether an API request opened the session without a name. Most of these sessions have one turn. */
export function isBriefSession({ channel, place }: Session): boolean {
  return channel === API_CHANNEL && place.includes(BRIEF_MARK);
}
