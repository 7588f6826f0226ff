import type { Alarm, AlarmStore } from './alarms.ts';

/** Rings alarms when their time has come. */
export interface Clockwork {
  /** To be called when the alarms have changed. */
  wind(): void;
  /** A turn about an alarm has ended, or has failed and must come again. */
  settle(id: string, how: 'told' | 'failed'): void;
  stop(): void;
}

/** The clock may be set, and the machine may sleep: it is looked at this often, whatever a timer says. */
const LOOK_MS = 30_000;

/** After a turn that failed an alarm rings again, later each time. */
const FIRST_AGAIN_MS = 60_000;
const LAST_AGAIN_MS = 3_600_000;

interface Ringing {
  /** Not before this moment; undefined while a turn about it is under way. */
  again: number | undefined;
  failures: number;
}

/**
 * Looks after the alarms of a store. What rings stays pending in the store until a turn has told it, so that it rings
 * again after a crash; while its turn waits or runs it does not ring a second time, however long that takes.
 */
export function createClockwork(
  store: AlarmStore,
  now: () => number,
  ring: (alarm: Alarm) => void,
): Clockwork {
  const ringing = new Map<string, Ringing>();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const dueAt = ({ id, firesAt }: Alarm): number => {
    const one = ringing.get(id);
    return one === undefined ? firesAt : (one.again ?? Number.POSITIVE_INFINITY);
  };
  const wind = (): void => {
    clearTimeout(timer);
    if (stopped) return;
    let next = Number.POSITIVE_INFINITY;
    for (const alarm of store.pending()) {
      const due = dueAt(alarm);
      if (due > now()) next = Math.min(next, due);
      else {
        ringing.set(alarm.id, { again: undefined, failures: ringing.get(alarm.id)?.failures ?? 0 });
        ring(alarm);
      }
    }
    if (next === Number.POSITIVE_INFINITY) return;
    timer = setTimeout(wind, Math.min(Math.max(next - now(), 1), LOOK_MS));
    // An alarm alone does not keep a process whose host has gone.
    timer.unref();
  };
  return {
    wind,
    settle(id, how) {
      const one = ringing.get(id);
      if (how === 'told' || one === undefined) {
        ringing.delete(id);
        store.rung(id);
      } else {
        one.again = now() + Math.min(FIRST_AGAIN_MS * 2 ** one.failures, LAST_AGAIN_MS);
        one.failures++;
      }
      wind();
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
