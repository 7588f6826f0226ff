/** Node fires a timer at once that is set for longer than this. */
const LONGEST_MS = 2 ** 31 - 1;

/** Something that is to be done at a time by `performance.now()`, which may be put off while it waits. */
export interface Due {
  at: number;
  readonly act: () => void;
}

/** Does what is due. */
export interface Clock {
  add(due: Due): void;
  remove(due: Due | undefined): void;
  close(): void;
}

/**
 * One timer for all turns of an agent. It stays set when a turn has ended, for the next one's time is later still: to set
 * and to clear a timer for each turn would be a measurable part of a short one. It keeps no program alive.
 */
export function createClock(): Clock {
  const waiting = new Set<Due>();
  let timer: NodeJS.Timeout | undefined;
  let ringsAt = Number.POSITIVE_INFINITY;

  const wind = (at: number): void => {
    if (at >= ringsAt) return;
    clearTimeout(timer);
    ringsAt = at;
    timer = setTimeout(ring, Math.min(at - performance.now(), LONGEST_MS)).unref();
  };
  const ring = (): void => {
    ringsAt = Number.POSITIVE_INFINITY;
    const now = performance.now();
    let next = Number.POSITIVE_INFINITY;
    for (const due of [...waiting]) {
      if (due.at > now) next = Math.min(next, due.at);
      else if (waiting.delete(due)) due.act();
    }
    wind(next);
  };
  return {
    add(due) {
      waiting.add(due);
      wind(due.at);
    },
    remove(due) {
      if (due !== undefined) waiting.delete(due);
    },
    close() {
      waiting.clear();
      clearTimeout(timer);
    },
  };
}
