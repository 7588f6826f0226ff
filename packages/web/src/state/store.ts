import { useSyncExternalStore } from 'react';

/** A plain record that can be watched. */
export interface Store<T> {
  get(): T;
  update(change: (now: T) => T): void;
  subscribe(listener: () => void): () => void;
}

export function createStore<T>(initial: T): Store<T> {
  let now = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => now,
    update(change) {
      const next = change(now);
      if (Object.is(next, now)) return;
      now = next;
      for (const listener of [...listeners]) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Sets some fields of the record. */
export function patchStore<T extends object>(store: Store<T>, fields: Partial<T>): void {
  store.update((now) => ({ ...now, ...fields }));
}

/**
 * `select` must return a part of the record: `useSyncExternalStore` compares by identity, and a new object for each
 * call would render without end.
 */
export function useStore<T, S>(store: Store<T>, select: (state: T) => S): S {
  return useSyncExternalStore(store.subscribe, () => select(store.get()));
}
