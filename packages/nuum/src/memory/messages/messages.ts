import { type Connection, row, rows } from '../../database/connection.ts';
import { counters } from '../agent/counters.ts';
import type { Messages, Remembered } from '../memory.ts';
import { appendAll } from './append.ts';
import { COLUMNS, rememberedOf, type Stored } from './stored.ts';
import { createTail } from './tail.ts';
import { latestShown, pastOf, viewOf } from './view.ts';

/** The messages of a database. */
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
      rows<Stored>(connection, `select ${COLUMNS} from messages where number > :number order by number`, {
        number,
      }).map((stored) => latestShown(stored, budget)),
    get(number) {
      const found = row<Stored>(connection, `select ${COLUMNS} from messages where number = :number`, {
        number,
      });
      return found && rememberedOf(found);
    },
    get count() {
      return counters(connection).messages;
    },
  };
}

/** Messages from one number up to another, oldest first, at most so many. */
export function messagesBetween(
  connection: Connection,
  from: number,
  to: number,
  most = 100_000,
): Remembered[] {
  return rows<Stored>(
    connection,
    `select ${COLUMNS} from messages where number between :from and :to order by number limit :most`,
    { from, to, most },
  ).map((stored) => rememberedOf(stored));
}
