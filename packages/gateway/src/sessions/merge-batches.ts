/**
 * Longest wait for further events of a batch. It is too short to be seen, and long enough for the `end` of a short
 * answer.
 */
const TOGETHER_MS = 8;

/**
 * Merges each batch with those that arrive within `TOGETHER_MS`, up to a batch that `isLast`. A commit costs the same
 * for one event as for all, and it blocks the process.
 */
export async function* mergeBatches<T>(
  batches: AsyncIterableIterator<readonly T[]>,
  isLast: (batch: readonly T[]) => boolean,
): AsyncGenerator<readonly T[]> {
  let next = batches.next();
  try {
    for (;;) {
      const first = await next;
      if (first.done) return;
      let batch = first.value;
      next = batches.next();
      if (!isLast(batch)) {
        const merged = [...batch];
        const pause = createPause();
        for (;;) {
          const more = await Promise.race([next, pause.over]);
          if (more === undefined || more.done) break;
          for (const item of more.value) merged.push(item);
          next = batches.next();
          if (isLast(more.value)) break;
        }
        pause.clear();
        batch = merged;
      }
      yield batch;
    }
  } finally {
    // `return` releases the agent when the consumer stops early, as `batches` alone would.
    await batches.return?.();
  }
}

/**
 * A timer that can be cleared. Aborting `timers/promises` instead would create an error with a stack for each batch.
 */
function createPause(): { readonly over: Promise<undefined>; clear(): void } {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, TOGETHER_MS, undefined);
  });
  return { over, clear: () => clearTimeout(timer) };
}
