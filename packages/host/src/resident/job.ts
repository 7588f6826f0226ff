import type { Event, Turn } from '@plugboard/protocol';
import type { Expiry } from '../run/deadline.ts';
import { createQueue, type EventQueue, pushEvents, type QueueOwner } from '../run/queue.ts';
import type { Resident } from './resident.ts';

/** One turn on its way through a resident agent. */
export interface Job {
  /** Absent for a turn that nobody asked for. */
  readonly turn?: Turn;
  readonly queue: EventQueue;
  /** The agent has begun it. */
  accepted: boolean;
  /** The agent says something that nobody asked for and that it has not announced: it may never say the end of it. */
  stray: boolean;
  /** Taken into another turn, with which it ends. */
  joined: boolean;
  /** Runs out when the agent has complained and does not begin the turn after all. */
  complaint: NodeJS.Timeout | undefined;
  /** Nobody wants it any more, or it ran out of time. */
  stopped: boolean;
  /** It ran out of time: however the agent says that it ended, this is why. */
  expiry: Expiry | undefined;
}

/** Lets the process go on when everything was taken. */
export function ownerOf(
  resident: Pick<Resident, 'connection' | 'deadline'>,
  onAbandoned: () => void,
): QueueOwner {
  const onDrained = (): void => {
    // The silence was ours.
    if (resident.connection?.isHeld()) resident.deadline?.heard();
    resident.connection?.drained();
  };
  return { onDrained, onAbandoned };
}

export function createJob(owner: QueueOwner, turn?: Turn): Job {
  return {
    ...(turn === undefined ? {} : { turn }),
    queue: createQueue(owner),
    accepted: false,
    stray: false,
    joined: false,
    complaint: undefined,
    stopped: false,
    expiry: undefined,
  };
}

/** Hands events to whoever asked for the turn. */
export function tell(job: Job, ...events: Event[]): void {
  pushEvents(
    job.queue,
    job.expiry === undefined ? events : events.map((event) => expired(event, job.expiry)),
  );
}

function expired(event: Event, error: Expiry | undefined): Event {
  if (event.type !== 'end' || error === undefined) return event;
  return { ...event, outcome: 'timeout', error, exitCode: 124 };
}

/** Whether somebody still has to take events of this turn. */
export function hasBacklog(job: Job | undefined): boolean {
  return job !== undefined && job.queue.waiting.length > job.queue.head;
}
