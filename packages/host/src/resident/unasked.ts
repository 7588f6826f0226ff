import type { Feed } from '../run/feed.ts';
import { type Run, runOf } from '../run/queue.ts';
import type { Job } from './job.ts';

/** Hands a turn that nobody waits for to whoever listens for such; if nobody does, its events are let go. */
export function announce(unasked: Feed<Run>, job: Job): void {
  if (unasked.wanted()) unasked.add(runOf(job.queue));
  else job.queue.resultWanted = true;
}
