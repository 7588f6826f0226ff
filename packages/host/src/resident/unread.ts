import type { Resident } from './resident.ts';

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
