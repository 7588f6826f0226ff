/** How work is done ahead of whoever takes its results. */
export interface AheadOptions {
  /** So many at a time. */
  readonly jobs: number;
  /** So many may be begun and not yet taken: what nobody has looked at may be for nothing. */
  readonly ahead: number;
}

/**
 * Gives the results of work in the order of its items, while later items are already worked on. The work never rejects.
 * Leaving the loop early begins nothing more and waits for what is under way.
 */
export async function* inOrder<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  { jobs, ahead }: AheadOptions,
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
