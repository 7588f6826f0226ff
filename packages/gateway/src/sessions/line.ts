/** The sessions that wait until an agent may run for them, in order. */
export interface Line {
  /** Joins at the end, or keeps its place. */
  join(sessionId: string): void;
  leave(sessionId: string): void;
  /** 1 is next; undefined when the session does not wait. */
  position(sessionId: string): number | undefined;
  readonly length: number;
}

/** Those who wait see how they move up so often; told at every step, a long line would take more time than the turns. */
const TELL_MS = 250;

/**
 * Known from this process's own memory: the store decides who is next, this only tells people how far it is. `onMoved` is
 * called for each of those who have moved up.
 */
export function createLine(onMoved: (sessionId: string) => void): Line {
  const waiting = new Set<string>();
  let places: Map<string, number> | undefined;
  let telling = false;

  const tell = (): void => {
    telling = false;
    for (const id of waiting) onMoved(id);
  };
  return {
    join(id) {
      if (waiting.has(id)) return;
      waiting.add(id);
      places?.set(id, waiting.size);
    },
    leave(id) {
      if (!waiting.delete(id)) return;
      places = undefined;
      if (telling || waiting.size === 0) return;
      telling = true;
      setTimeout(tell, TELL_MS).unref();
    },
    position(id) {
      places ??= new Map([...waiting].map((one, index) => [one, index + 1]));
      return places.get(id);
    },
    get length() {
      return waiting.size;
    },
  };
}
