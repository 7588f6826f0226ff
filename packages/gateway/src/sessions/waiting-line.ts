/** Sessions that wait for a free agent, ordered by rank. */
export interface Line {
  /** Adds a session with the rank from the store. A session that is in the line keeps its rank. */
  join(sessionId: string, rank: number): void;
  leave(sessionId: string): void;
  /** 1 is the next session to start; undefined when the session does not wait. */
  position(sessionId: string): number | undefined;
  readonly length: number;
}

/** `sort` is stable: of two sessions with the same rank, the first to join comes first. */
function placesOf(waiting: ReadonlyMap<string, number>): Map<string, number> {
  const ordered = [...waiting].sort(([, one], [, other]) => one - other);
  return new Map(ordered.map(([id], index) => [id, index + 1]));
}

/**
 * Shortest interval between two rounds of `onMoved`. A round per step costs more time than the turns when the line is
 * long.
 */
const TELL_MS = 250;

/**
 * Positions for display, from the memory of this process; the store decides which session is next. `onMoved` is called
 * for each waiting session after another has left.
 */
export function createWaitingLine(onMoved: (sessionId: string) => void): Line {
  /** Ranks by session id, in the order of joining. */
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
