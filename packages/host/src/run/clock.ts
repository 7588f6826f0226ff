import { createAlarm } from '@plugboard/process';

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
  const alarm = createAlarm(ring, { background: true });
  let ringsAt = Number.POSITIVE_INFINITY;

  function wind(at: number): void {
    if (at >= ringsAt) return;
    ringsAt = at;
    alarm.at(at);
  }
  function ring(): void {
    const now = performance.now();
    const due: Due[] = [];
    let next = Number.POSITIVE_INFINITY;
    for (const one of waiting) {
      if (one.at <= now) due.push(one);
      else next = Math.min(next, one.at);
    }
    ringsAt = Number.POSITIVE_INFINITY;
    // Before anything is done, which may fail.
    if (next < ringsAt) wind(next);
    // One may have removed another.
    for (const one of due) if (waiting.delete(one)) one.act();
  }
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
      alarm.clear();
      ringsAt = Number.POSITIVE_INFINITY;
    },
  };
}
