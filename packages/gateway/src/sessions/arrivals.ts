/** Counts messages whose `admit` transaction is not committed, which the store does not count yet. */
export interface Arrivals {
  readonly all: () => number;
  readonly of: (key: string) => number;
  /** Counts one message until the returned function is called. A second call of that function has no effect. */
  count(keys: readonly string[]): () => void;
}

export function createArrivals(): Arrivals {
  const counts = new Map<string, number>();
  let all = 0;
  const add = (key: string, by: number): void => {
    const left = (counts.get(key) ?? 0) + by;
    if (left === 0) counts.delete(key);
    else counts.set(key, left);
  };
  return {
    all: () => all,
    of: (key) => counts.get(key) ?? 0,
    count(keys) {
      let counted = true;
      all += 1;
      for (const key of keys) add(key, 1);
      return () => {
        if (!counted) return;
        counted = false;
        all -= 1;
        for (const key of keys) add(key, -1);
      };
    },
  };
}
