import { createAlarm } from '@plugboard/process';

/** An action for a time of `performance.now()`. Its `at` may be moved to a later time while it waits. */
export interface Due {
  at: number;
  readonly act: () => void;
}

/** Runs each `Due` at its time. */
export interface Clock {
  add(due: Due): void;
  remove(due: Due | undefined): void;
  close(): void;
}

/**
 * One timer for all turns of an agent. It stays set when a turn has ended, because the next turn is due later still:
 * `setTimeout` and `clearTimeout` for each turn would be a measurable part of a short turn. It does not keep the
 * program alive.
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
    // Before `act`, which may throw.
    if (next < ringsAt) wind(next);
    // An action may have removed a later `Due`.
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
