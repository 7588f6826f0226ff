import { type Connection, findRow, listRows, runStatement, runTransaction } from '@plugboard/sqlite';
import type { Messages } from '../memory/memory.ts';

/** Messages that the host was told were accepted, and that are not in the conversation yet. */
export interface Inbox {
  /** Stores a message durably. Returns its number for `take`. */
  put(text: string): number;
  /** Moves a message into the conversation. Messages are ordered by when the model sees them, not by when they came. */
  take(number: number): void;
  /** Moves the messages that an earlier process left into the conversation. Returns how many there were. */
  takeLeft(): number;
}

interface Row {
  readonly number: number;
  readonly text: string;
}

export function createInbox(connection: Connection, messages: Messages, now: () => number): Inbox {
  const move = ({ number, text }: Row): void => {
    messages.append({ kind: 'user', text });
    runStatement(connection, 'delete from inbox where number = :number', { number });
  };
  return {
    put: (text) =>
      runStatement(connection, 'insert into inbox (at, text) values (:at, :text)', {
        at: Math.trunc(now()),
        text,
      }).seq,
    take: (number) =>
      runTransaction(connection, () => {
        const found = findRow<Row>(connection, 'select number, text from inbox where number = :number', {
          number,
        });
        if (found !== undefined) move(found);
      }),
    takeLeft: () =>
      runTransaction(connection, () => {
        const left = listRows<Row>(connection, 'select number, text from inbox order by number');
        for (const one of left) move(one);
        return left.length;
      }),
  };
}
