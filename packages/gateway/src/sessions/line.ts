/** The sessions that wait until an agent may run for them, in order. */
export interface Line {
  /** Joins at the end, or keeps its place. */
  join(sessionId: string): void;
  leave(sessionId: string): void;
  /** 1 is next; undefined when the session does not wait. */
  position(sessionId: string): number | undefined;
  readonly ids: Iterable<string>;
  readonly length: number;
}

/** Known from this process's own memory: the store decides who is next, this only tells people how far it is. */
export function createLine(): Line {
  const waiting = new Set<string>();
  return {
    join: (id) => void waiting.add(id),
    leave: (id) => void waiting.delete(id),
    position(id) {
      let at = 0;
      for (const one of waiting) {
        at += 1;
        if (one === id) return at;
      }
      return undefined;
    },
    get ids() {
      return waiting;
    },
    get length() {
      return waiting.size;
    },
  };
}
