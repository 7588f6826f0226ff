import type { Turn } from '@plugboard/protocol';
import { isBusy } from './busy.ts';
import type { Resident } from './resident.ts';
import { createStoppable } from './stop.ts';
import { announce } from './unasked.ts';

/** Gives the running turn more input. False when there is none. */
export function steer(resident: Resident, turn: Turn): boolean {
  if (!isBusy(resident)) return false;
  resident.routing.steers.push({ turn, wanted: true, queued: false });
  resident.connection?.send(resident.host.encode(turn));
  return true;
}

/**
 * What a process that is gone had been given for its turn and has not taken in: it goes to whoever looks after that, or is
 * asked anew, each in a turn of its own.
 */
export function giveBackSteers(resident: Resident): void {
  const { routing, onUnread, closed, unasked, waiting } = resident;
  const left = routing.steers.splice(0);
  if (onUnread !== undefined) return left.forEach(({ turn }) => void onUnread(turn));
  if (closed) return;
  const jobs = left.filter(({ wanted }) => wanted).map(({ turn }) => createStoppable(resident, turn));
  for (const job of jobs) announce(unasked, job);
  waiting.unshift(...jobs);
}
