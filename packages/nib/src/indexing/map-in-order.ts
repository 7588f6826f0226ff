/** Limits of `mapInOrder`. */
export interface OrderOptions {
  /** How many calls of `work` run at a time. */
  readonly jobs: number;
  /** How many results may be started and not yet consumed: an early end of the loop wastes them. */
  readonly ahead: number;
}

/**
 * Yields the results of `work` in the order of `items`, while later items are processed. `work` must not reject.
 * Leaving the loop early starts no more work and waits for the running calls.
 */
export async function* mapInOrder<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  { jobs, ahead }: OrderOptions,
): AsyncGenerator<R> {
  const begun: Promise<R>[] = [];
  let active = 0;
  let taken = 0;
  let open = true;
  const fill = (): void => {
    while (open && begun.length < items.length && active < jobs && begun.length - taken < ahead) {
      const item = items[begun.length] as T;
      active += 1;
      begun.push(work(item).finally(finished));
    }
  };
  const finished = (): void => {
    active -= 1;
    fill();
  };
  fill();
  try {
    for (; taken < items.length; fill()) {
      const result = await begun[taken];
      taken += 1;
      yield result as R;
    }
  } finally {
    open = false;
    await Promise.allSettled(begun);
  }
}
