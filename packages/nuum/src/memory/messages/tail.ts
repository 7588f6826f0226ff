import { type Connection, listRows } from '@plugboard/sqlite';
import { iterateRows } from '../../database/connection.ts';
import type { Counters } from '../agent/counters.ts';
import { COLUMNS, type Stored } from './stored.ts';

/** A cache of the latest messages that no summary covers. */
export interface Tail {
  /** Latest first. A caller that stops early reads no further rows. */
  latestFirst(counters: Counters): Iterable<Stored>;
}

const NEWER = `select ${COLUMNS} from messages where number > :last order by number`;
const OLDER = `select ${COLUMNS} from messages where number > :coveredTo and number < :first order by number desc`;

/**
 * Consecutive turns show mostly the same messages, and to read them again would be most of the cost of a view. Only
 * this process writes messages and it changes none, so that `refresh` adds new ones and drops those that were covered
 * or forgotten.
 */
export function createTail(connection: Connection): Tail {
  /** Oldest first, without a gap up to the last message at the time of `refresh`. */
  let known: Stored[] = [];
  let forgettings = -1;

  const refresh = (counters: Counters): void => {
    if (counters.forgettings !== forgettings) known = [];
    forgettings = counters.forgettings;
    const open = known.findIndex(({ number }) => number > counters.coveredTo);
    if (open !== 0) known = open < 0 ? [] : known.slice(open);
    const last = known.at(-1)?.number;
    if (last !== undefined) known.push(...listRows<Stored>(connection, NEWER, { last }));
  };
  return {
    *latestFirst(counters) {
      refresh(counters);
      for (let index = known.length - 1; index >= 0; index--) yield known[index] as Stored;
      const older: Stored[] = [];
      try {
        const first = known[0]?.number ?? Number.MAX_SAFE_INTEGER;
        for (const stored of iterateRows<Stored>(connection, OLDER, {
          coveredTo: counters.coveredTo,
          first,
        })) {
          older.push(stored);
          yield stored;
        }
      } finally {
        // In `finally`, since `fitting` stops reading when the view is full.
        known = [...older.reverse(), ...known];
      }
    },
  };
}
