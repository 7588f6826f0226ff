/** An unbounded queue from a producer to an async iterator. */
export interface Feed<T> {
  /** Whether `iterate` was called. */
  wanted(): boolean;
  add(item: T): void;
  /** Ends the iteration after the remaining items. */
  close(): void;
  iterate(): AsyncIterableIterator<T>;
}

/** Items that are added before `iterate` are kept. */
export function createFeed<T>(): Feed<T> {
  const items: T[] = [];
  let closed = false;
  let wanted = false;
  let wake: (() => void) | undefined;
  const notify = (): void => {
    const waiting = wake;
    wake = undefined;
    waiting?.();
  };
  async function* iterate(): AsyncGenerator<T, undefined> {
    for (;;) {
      const item = items.shift();
      if (item !== undefined) yield item;
      else if (closed) return undefined;
      else
        await new Promise<void>((resolve) => {
          const others = wake;
          wake = () => {
            others?.();
            resolve();
          };
        });
    }
  }
  return {
    wanted: () => wanted,
    add(item) {
      items.push(item);
      notify();
    },
    close() {
      closed = true;
      notify();
    },
    iterate() {
      wanted = true;
      return iterate();
    },
  };
}
