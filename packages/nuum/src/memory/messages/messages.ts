import { type Connection, findRow, listRows } from '@plugboard/sqlite';
import { readCounters } from '../agent/counters.ts';
import type { Messages } from '../memory.ts';
import { appendAll } from './append.ts';
import type { Remembered } from './message.ts';
import { COLUMNS, rememberedOf, type Stored } from './stored.ts';
import { createTail } from './tail.ts';
import { latestShown, pastOf, viewOf } from './view.ts';

/** The table `messages`. */
export function createMessages(connection: Connection, now: () => number): Messages {
  const tail = createTail(connection);
  return {
    append(entry) {
      const [number = 0] = appendAll(connection, [entry], now());
      return number;
    },
    appendAll: (entries) => appendAll(connection, entries, now()),
    view: (budget) => viewOf(connection, tail, budget),
    past: (budget) => pastOf(connection, budget),
    since: (number, budget) =>
      listRows<Stored>(connection, `select ${COLUMNS} from messages where number > :number order by number`, {
        number,
      }).map((stored) => latestShown(stored, budget)),
    get(number) {
      const found = findRow<Stored>(connection, `select ${COLUMNS} from messages where number = :number`, {
        number,
      });
      return found && rememberedOf(found);
    },
    get count() {
      return readCounters(connection).messages;
    },
  };
}

/** Messages with numbers from `from` to `to`, oldest first, at most `most`. */
export function messagesBetween(
  connection: Connection,
  from: number,
  to: number,
  most = 100_000,
): Remembered[] {
  return listRows<Stored>(
    connection,
    `select ${COLUMNS} from messages where number between :from and :to order by number limit :most`,
    { from, to, most },
  ).map((stored) => rememberedOf(stored));
}
