import type { Resident } from './resident.ts';

/**
 * When a process that has answered before exits just as it is given the next turn, that turn goes to a new process. One that
 * has never answered is not tried again: it would go on like that for ever.
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
