import { reasonOf } from '@plugboard/protocol';
import type { Alarm, AlarmStore } from './alarms.ts';

/** Rings alarms when their time has come. */
export interface Clockwork {
  /** To be called when the alarms have changed; never throws. */
  wind(): void;
  /** A turn about alarms has ended, or has failed and must come again. */
  settle(ids: readonly string[], how: 'told' | 'failed'): void;
  stop(): void;
}

export interface ClockworkOptions {
  readonly store: AlarmStore;
  readonly now: () => number;
  /** Is given what rings at the same moment, so that it can be told at once. */
  readonly ring: (alarms: readonly Alarm[]) => void;
  /** For the operator. */
  readonly log: (text: string) => void;
}

/** The clock may be set, and the machine may sleep: it is looked at this often, whatever a timer says. */
const LOOK_MS = 30_000;

/** After a turn that failed an alarm rings again, later each time. */
const FIRST_AGAIN_MS = 60_000;
const LAST_AGAIN_MS = 3_600_000;

/** More than this is too much for one turn. */
const RING_TOGETHER = 20;

interface Ringing {
  /** Not before this moment; undefined while a turn about it is under way. */
  again: number | undefined;
  failures: number;
}

/** How long to wait after so many failures, from a minute up to an hour. */
export function pauseAfter(failures: number): number {
  return Math.min(FIRST_AGAIN_MS * 2 ** failures, LAST_AGAIN_MS);
}

/**
 * Looks after the alarms of a store. What rings stays pending in the store until a turn has told it, so that it rings
 * again after a crash; while its turn waits or runs it does not ring a second time, however long that takes.
 */
export function createClockwork({ store, now, ring, log }: ClockworkOptions): Clockwork {
  const ringing = new Map<string, Ringing>();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const dueAt = ({ id, firesAt }: Alarm): number => {
    const one = ringing.get(id);
    return one === undefined ? firesAt : (one.again ?? Number.POSITIVE_INFINITY);
  };
  /** Rings what is due; gives the moment of the next that is not. */
  const ringDue = (): number => {
    const all = store.pending();
    const due = all.filter((alarm) => dueAt(alarm) <= now());
    for (const { id } of due) ringing.set(id, { again: undefined, failures: ringing.get(id)?.failures ?? 0 });
    for (let at = 0; at < due.length; at += RING_TOGETHER) ring(due.slice(at, at + RING_TOGETHER));
    return all.reduce((next, alarm) => Math.min(next, dueAt(alarm)), Number.POSITIVE_INFINITY);
  };
  const lookAfter = (ms: number): void => {
    // An alarm alone does not keep a process whose host has gone.
    timer = setTimeout(wind, Math.min(Math.max(ms, 1), LOOK_MS)).unref();
  };
  /** Nobody hears what a timer throws: a memory in trouble is looked into again later. */
  const wind = (): void => {
    clearTimeout(timer);
    if (stopped) return;
    try {
      const next = ringDue();
      if (next !== Number.POSITIVE_INFINITY) lookAfter(next - now());
    } catch (error) {
      log(`The alarms could not be read: ${reasonOf(error)}`);
      lookAfter(LOOK_MS);
    }
  };
  const settleOne = (id: string, how: 'told' | 'failed'): void => {
    const one = ringing.get(id);
    if (one !== undefined) {
      // What is told and cannot be kept as told rings once more: twice is better than never.
      one.again = now() + pauseAfter(one.failures);
      one.failures++;
    }
    if (how === 'failed' && one !== undefined) return;
    store.rung(id);
    ringing.delete(id);
  };
  return {
    wind,
    settle(ids, how) {
      for (const id of ids) settleOne(id, how);
      wind();
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
