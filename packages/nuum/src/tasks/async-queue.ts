/** An async queue: `push` on one side, `for await` on the other, until `close`. */
export interface Channel<T> extends AsyncIterable<T> {
  push(value: T): void;
  close(): void;
}

/** For one reader. Values pushed before it reads are queued. */
export function createChannel<T>(): Channel<T> {
  const waiting: T[] = [];
  let wake: (() => void) | undefined;
  let closed = false;
  return {
    push(value) {
      if (closed) return;
      waiting.push(value);
      wake?.();
    },
    close() {
      closed = true;
      wake?.();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const next = waiting.shift();
        if (next !== undefined) yield next;
        else if (closed) return;
        else {
          const { promise, resolve } = Promise.withResolvers<void>();
          wake = resolve;
          await promise;
        }
      }
    },
  };
}
