/** Runs calls with the same key one after the other, in the order in which they came, and others at once. */
export interface Lanes {
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
}

/**
 * Keeps the order of concurrent calls: two writes of one session would otherwise race on two connections. Other processes
 * are kept apart by row locks.
 */
export function createLanes(): Lanes {
  const ends = new Map<string, Promise<unknown>>();
  return {
    run(key, work) {
      const done = (ends.get(key) ?? Promise.resolve()).then(work);
      const end = done
        .catch(() => {})
        .then(() => {
          if (ends.get(key) === end) ends.delete(key);
        });
      ends.set(key, end);
      return done;
    },
  };
}
