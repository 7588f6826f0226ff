import { type Connection, rows, stepped } from '../../database/connection.ts';
import type { Counters } from '../agent/counters.ts';
import { COLUMNS, type Stored } from './stored.ts';

/** The latest messages that no summary stands for, kept in memory as far as views have looked. */
export interface Tail {
  /** Those there are now, latest first; stopping early reads no further. */
  latestFirst(counters: Counters): Iterable<Stored>;
}

const NEWER = `select ${COLUMNS} from messages where number > :last order by number`;
const OLDER = `select ${COLUMNS} from messages where number > :coveredTo and number < :first order by number desc`;

/**
 * A turn is shown much the same messages as the one before it, and most of its cost would be to read them again. Only
 * this process writes messages, and it never changes one: what is new is added, what is covered or forgotten is dropped.
 */
export function createTail(connection: Connection): Tail {
  /** Oldest first, without a gap up to the last message at the time of the last look. */
  let known: Stored[] = [];
  let forgettings = -1;

  const refresh = (counters: Counters): void => {
    if (counters.forgettings !== forgettings) known = [];
    forgettings = counters.forgettings;
    const open = known.findIndex(({ number }) => number > counters.coveredTo);
    if (open !== 0) known = open < 0 ? [] : known.slice(open);
    const last = known.at(-1)?.number;
    if (last !== undefined) known.push(...rows<Stored>(connection, NEWER, { last }));
  };
  return {
    *latestFirst(counters) {
      refresh(counters);
      for (let index = known.length - 1; index >= 0; index--) yield known[index] as Stored;
      const older: Stored[] = [];
      try {
        const first = known[0]?.number ?? Number.MAX_SAFE_INTEGER;
        for (const stored of stepped<Stored>(connection, OLDER, { coveredTo: counters.coveredTo, first })) {
          older.push(stored);
          yield stored;
        }
      } finally {
        // Also when the view is full before the end.
        known = [...older.reverse(), ...known];
      }
    },
  };
}
