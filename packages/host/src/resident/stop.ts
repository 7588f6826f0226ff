import type { Turn } from '@plugboard/protocol';
import { isBusy } from './busy.ts';
import { createJob, type Job, ownerOf, tell } from './job.ts';
import type { Resident } from './resident.ts';
import { endStray } from './routing.ts';

/** How long the agent may take to heed an interrupt; the grace of its process comes after that. */
const INTERRUPT_MS = 2_000;

/** A turn that is cancelled when its reader leaves. */
export function createStoppable(resident: Resident, turn: Turn): Job {
  const job: Job = createJob(
    ownerOf(resident, () => stopTurn(resident, job, 'cancel')),
    turn,
  );
  return job;
}

/** Asks the agent to stop a turn; one that does not within the grace loses its process. */
export function stopTurn(resident: Resident, job: Job, cause: 'cancel' | 'timeout'): void {
  const { connection, routing, profile } = resident;
  const runs = routing.asked === job || routing.unasked === job;
  if (!runs || connection === undefined) return withdraw(resident, job);
  job.stopped = true;
  if (job.stray) return endStray(routing);
  if (cause === 'cancel') for (const steer of routing.steers) steer.wanted = false;
  interrupt(resident);
  const patience = Math.min(profile.settings.killGraceSecs * 1000, INTERRUPT_MS);
  const timer = setTimeout(() => connection.child.stop(cause), patience);
  job.queue.result.promise.then(() => clearTimeout(timer));
}

/** Takes a turn back that has not begun. */
export function withdraw(resident: Resident, job: Job): void {
  const at = resident.waiting.indexOf(job);
  if (at === -1) return;
  resident.waiting.splice(at, 1);
  tell(job, { type: 'end', outcome: 'cancelled', text: '' });
}

/** Stops whatever turn the agent is at. False when there is none. */
export function stopCurrent(resident: Resident): boolean {
  const { unasked } = resident.routing;
  // Nobody holds a signal for a turn that nobody asked for.
  if (unasked === undefined) return interrupt(resident);
  stopTurn(resident, unasked, 'cancel');
  return true;
}

function interrupt(resident: Resident): boolean {
  if (!isBusy(resident)) return false;
  resident.routing.interruptsOutstanding++;
  resident.connection?.send(resident.host.control('interrupt'));
  return true;
}
