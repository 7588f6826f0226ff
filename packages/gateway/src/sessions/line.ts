/** The sessions that wait until an agent may run for them, in order. */
export interface Line {
  /** Joins by the rank that the store has given the session, or keeps its place. */
  join(sessionId: string, rank: number): void;
  leave(sessionId: string): void;
  /** 1 is next; undefined when the session does not wait. */
  position(sessionId: string): number | undefined;
  readonly length: number;
}

/** The sort is stable: of two with the same rank, the one that joined first comes first. */
function placesOf(waiting: ReadonlyMap<string, number>): Map<string, number> {
  const ordered = [...waiting].sort(([, one], [, other]) => one - other);
  return new Map(ordered.map(([id], index) => [id, index + 1]));
}

/** Those who wait see how they move up so often; told at every step, a long line would take more time than the turns. */
const TELL_MS = 250;

/**
 * Known from this process's own memory: the store decides who is next, this only tells people how far it is. `onMoved` is
 * called for each of those who have moved up.
 */
export function createLine(onMoved: (sessionId: string) => void): Line {
  /** Sessions and their ranks, in the order in which they joined. */
  const waiting = new Map<string, number>();
  let places: Map<string, number> | undefined;
  let telling = false;

  const tell = (): void => {
    telling = false;
    for (const id of waiting.keys()) onMoved(id);
  };
  return {
    join(id, rank) {
      if (waiting.has(id)) return;
      waiting.set(id, rank);
      places = undefined;
    },
    leave(id) {
      if (!waiting.delete(id)) return;
      places = undefined;
      if (telling || waiting.size === 0) return;
      telling = true;
      setTimeout(tell, TELL_MS).unref();
    },
    position(id) {
      places ??= placesOf(waiting);
      return places.get(id);
    },
    get length() {
      return waiting.size;
    },
  };
}
