import type { Resident } from './resident.ts';
import { isTaken } from './routing.ts';

/** Whether a turn is running, asked for or not. */
export function isBusy({ connection, routing }: Resident): boolean {
  return connection !== undefined && isTaken(routing);
}
