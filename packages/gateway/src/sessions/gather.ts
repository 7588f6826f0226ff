import type { Event } from '@plugboard/host';

/** No person sees so short a wait, and a short answer comes with its end within it. */
const TOGETHER_MS = 8;

/**
 * Batches of events, each with what came within a few milliseconds after it: a write to the disk costs as much for one event
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
      const pause = createPause();
      while (events.at(-1)?.type !== 'end') {
        const more = await Promise.race([next, pause.over]);
        if (more === undefined || more.done) break;
        for (const event of more.value) events.push(event);
        next = batches.next();
      }
      pause.clear();
      yield events;
    }
  } finally {
    // Who stops reading lets the agent go, as the batches themselves would have.
    await batches.return?.();
  }
}

/** A wait that costs nothing when it is not needed: one that is aborted makes an error with a stack. */
function createPause(): { readonly over: Promise<undefined>; clear(): void } {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, TOGETHER_MS, undefined);
  });
  return { over, clear: () => clearTimeout(timer) };
}
