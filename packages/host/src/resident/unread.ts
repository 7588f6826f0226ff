import type { Turn } from '@plugboard/protocol';
import type { Resident } from './resident.ts';
import type { Steer } from './routing.ts';

/** Takes out what was given to a process that has ended and had not taken it in; the process knows nothing any more. */
export function takeLeft(steers: Steer[]): Turn[] {
  return steers
    .splice(0)
    .filter(({ wanted }) => wanted)
    .map(({ turn }) => turn);
}

/**
 * A process that has answered before, and leaves as the next turn is handed to it, has not read that: another is asked. One
 * that leaves before it has answered anything would do so for ever.
 */
export function askUnread(resident: Resident): void {
  const { routing, proven, closed, deadline } = resident;
  const { asked } = routing;
  if (asked === undefined || asked.accepted || asked.joined || asked.stopped || !proven || closed) return;
  clearTimeout(asked.complaint);
  deadline?.clear();
  routing.asked = undefined;
  resident.waiting.unshift(asked);
}
