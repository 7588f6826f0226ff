import { reasonOf } from '@plugboard/protocol';
import { type Clock, sleep } from '../../clock.ts';
import type { Logger } from '../../log.ts';

/** Queues by place: jobs of one place run in order, places run concurrently. A job is retried until it succeeds. */
export interface Intake {
  /** `job` is repeated after a rejection, unless the channel stops. Then `done` is called. */
  add(place: string, job: () => Promise<void>, done: () => void): void;
}

interface IntakeOptions {
  readonly channel: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 10_000;

export function createIntake(options: IntakeOptions): Intake {
  const last = new Map<string, Promise<void>>();
  return {
    add(place, job, done) {
      const before = last.get(place) ?? Promise.resolve();
      const now = before.then(async () => {
        try {
          if (await repeat(options, job)) done();
        } catch (error) {
          // An unhandled rejection would end the process.
          options.log.error(`A message was taken in, and could not be noted: ${reasonOf(error)}`, {
            ...{ code: 'channel-position-not-noted', channel: options.channel },
          });
        }
      });
      last.set(place, now);
      void now.then(() => {
        if (last.get(place) === now) last.delete(place);
      });
    },
  };
}

/** Whether the job has succeeded; false when the channel stopped before. */
async function repeat(
  { channel, clock, log, signal }: IntakeOptions,
  job: () => Promise<void>,
): Promise<boolean> {
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    try {
      await job();
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      if (attempt === 0)
        log.warn(`A message could not be taken in, and is tried again: ${reasonOf(error)}`, {
          ...{ code: 'channel-receive-failed', channel },
        });
      await sleep(clock, Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt), signal);
    }
  }
  return false;
}
