import type { Resident } from './resident.ts';
import { isTaken } from './routing.ts';

/** Settles when no turn runs or waits, and no steering is on its way. */
export function whenIdle(resident: Resident): Promise<void> {
  return new Promise((resolve) => {
    resident.idleWaiters.push(resolve);
    tellIdle(resident);
  });
}

/** Settles when no steering is on its way: it was taken in, its own turn has begun, or the agent has let it go. */
export function whenSteered(resident: Resident): Promise<void> {
  return new Promise((resolve) => {
    resident.steeringWaiters.push(resolve);
    tellIdle(resident);
  });
}

/** Tells those who wait for it when there is nothing left to do. */
export function tellIdle({ routing, waiting, idleWaiters, steeringWaiters }: Resident): void {
  if (routing.steers.length === 0) for (const resolve of steeringWaiters.splice(0)) resolve();
  if (isTaken(routing) || waiting.length > 0 || routing.steers.length > 0) return;
  for (const resolve of idleWaiters.splice(0)) resolve();
}
