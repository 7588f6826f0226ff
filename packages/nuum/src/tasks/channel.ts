/** What one side pushes and the other takes in turn, for as long as it is open. */
export interface Channel<T> extends AsyncIterable<T> {
  push(value: T): void;
  close(): void;
}

/** One reader; what is pushed before it reads waits. */
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
