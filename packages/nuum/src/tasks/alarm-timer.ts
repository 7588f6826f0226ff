import { reasonOf } from '@plugboard/protocol';
import type { Alarm, AlarmStore } from './alarms.ts';

/** Rings alarms at their `firesAt`. */
export interface AlarmTimer {
  /** Reads the alarms again and sets the timer. Call it after every change of the store. Never throws. */
  schedule(): void;
  /** `told`: the turn of these alarms has ended. `failed`: they ring again after `pauseAfter`. */
  settle(ids: readonly string[], how: 'told' | 'failed'): void;
  stop(): void;
}

export interface AlarmTimerOptions {
  readonly store: AlarmStore;
  readonly now: () => number;
  /** Called with all alarms that are due at the same time, at most `RING_TOGETHER`, so that one turn handles them. */
  readonly ring: (alarms: readonly Alarm[]) => void;
  readonly log: (text: string) => void;
}

/** The longest timer. The system clock may be changed and the machine may sleep, which timers do not notice. */
const LONGEST_TIMER_MS = 30_000;

/** Pauses before an alarm rings again after failed turns: 1 minute, doubled each time up to 1 hour. */
const FIRST_AGAIN_MS = 60_000;
const LAST_AGAIN_MS = 3_600_000;

/** The most alarms of one turn. */
const RING_TOGETHER = 20;

interface Ringing {
  /** When to ring again; undefined while the turn is queued or running. */
  again: number | undefined;
  failures: number;
}

export function pauseAfter(failures: number): number {
  return Math.min(FIRST_AGAIN_MS * 2 ** failures, LAST_AGAIN_MS);
}

/**
 * An alarm stays pending in the store until its turn has ended, so that it rings again after a crash. `ringing` keeps
 * it from ringing twice while that turn is queued or running.
 */
export function createAlarmTimer({ store, now, ring, log }: AlarmTimerOptions): AlarmTimer {
  const ringing = new Map<string, Ringing>();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const dueAt = ({ id, firesAt }: Alarm): number => {
    const one = ringing.get(id);
    return one === undefined ? firesAt : (one.again ?? Number.POSITIVE_INFINITY);
  };
  /** Rings the alarms that are due. Returns when the next alarm is due. */
  const ringDue = (): number => {
    const all = store.pending();
    const due = all.filter((alarm) => dueAt(alarm) <= now());
    for (const { id } of due) ringing.set(id, { again: undefined, failures: ringing.get(id)?.failures ?? 0 });
    for (let at = 0; at < due.length; at += RING_TOGETHER) ring(due.slice(at, at + RING_TOGETHER));
    return all.reduce((next, alarm) => Math.min(next, dueAt(alarm)), Number.POSITIVE_INFINITY);
  };
  const setTimer = (ms: number): void => {
    // `unref`: an alarm must not keep the process alive after its host has closed stdin.
    timer = setTimeout(schedule, Math.min(Math.max(ms, 1), LONGEST_TIMER_MS)).unref();
  };
  /**
   * Called by a timer, so that an error would be unhandled: it is logged, and the store is read again after `LONGEST_TIMER_MS`.
   */
  const schedule = (): void => {
    clearTimeout(timer);
    if (stopped) return;
    try {
      const next = ringDue();
      if (next !== Number.POSITIVE_INFINITY) setTimer(next - now());
    } catch (error) {
      log(`The alarms could not be read: ${reasonOf(error)}`);
      setTimer(LONGEST_TIMER_MS);
    }
  };
  const settleOne = (id: string, how: 'told' | 'failed'): void => {
    const one = ringing.get(id);
    if (one !== undefined) {
      // If `store.rung` throws now, the alarm rings again: a repeated alarm is better than a lost one.
      one.again = now() + pauseAfter(one.failures);
      one.failures++;
    }
    if (how === 'failed' && one !== undefined) return;
    store.markRung(id);
    ringing.delete(id);
  };
  return {
    schedule,
    settle(ids, how) {
      for (const id of ids) settleOne(id, how);
      schedule();
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
