import { setTimeout as sleep } from 'node:timers/promises';
import type { Event } from '@plugboard/host';

/** No person sees so short a wait, and a short answer comes with its end within it. */
const TOGETHER_MS = 2;

/**
 * Batches of events, each with what came within two milliseconds after it: a write to the disk costs as much for one event
 * as for all, and while it lasts nothing else is done.
 */
export async function* gathered(
  batches: AsyncIterableIterator<readonly Event[]>,
): AsyncGenerator<readonly Event[]> {
  let next = batches.next();
  try {
    for (;;) {
      const first = await next;
      if (first.done) return;
      const events = [...first.value];
      next = batches.next();
      const pause = new AbortController();
      const late = sleep(TOGETHER_MS, 'late' as const, { signal: pause.signal }).catch(() => 'late' as const);
      while (events.at(-1)?.type !== 'end') {
        const more = await Promise.race([next, late]);
        if (more === 'late' || more.done) break;
        events.push(...more.value);
        next = batches.next();
      }
      pause.abort();
      yield events;
    }
  } finally {
    // Who stops reading lets the agent go, as the batches themselves would have.
    await batches.return?.();
  }
}
