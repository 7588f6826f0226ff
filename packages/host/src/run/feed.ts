/** Things on their way from whoever comes upon them to the one who loops over them. */
export interface Feed<T> {
  /** Whether somebody listens. */
  wanted(): boolean;
  add(item: T): void;
  /** Ends the loop, once it has had everything. */
  close(): void;
  iterate(): AsyncIterableIterator<T>;
}

/** Keeps what comes before it is asked for. */
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
