/** Starts processes for background work, a few at a time. */
export interface StartQueue<T> {
  /** Adds an item; one that waits already keeps its place. */
  add(item: T): void;
  /** Called when an item that was started has come up or has ended. */
  settle(item: T): void;
  close(): void;
}

export interface StartQueueOptions<T> {
  /** Most items that start at the same time. */
  readonly together: number;
  /** Number of processes that may start beside those that run. */
  readonly room: () => number;
  /** Interval of checks when `room()` was exhausted. */
  readonly lookMs: number;
  /** Starts an item. False when there is no start to wait for. */
  readonly start: (item: T) => boolean;
}

export function createStartQueue<T>({ together, room, lookMs, start }: StartQueueOptions<T>): StartQueue<T> {
  const waiting = new Set<T>();
  const starting = new Set<T>();
  let look: NodeJS.Timeout | undefined;
  let closed = false;

  const startNext = (): void => {
    clearTimeout(look);
    for (const item of waiting) {
      if (closed || starting.size >= together) return;
      if (starting.size >= room()) {
        look = setTimeout(startNext, lookMs).unref();
        return;
      }
      waiting.delete(item);
      starting.add(item);
      if (!start(item)) starting.delete(item);
    }
  };
  return {
    add(item) {
      if (!starting.has(item)) waiting.add(item);
      startNext();
    },
    settle(item) {
      waiting.delete(item);
      if (starting.delete(item)) startNext();
    },
    close() {
      closed = true;
      clearTimeout(look);
    },
  };
}
