import { type Connection, row, rows, run } from '../database/connection.ts';
import { transaction } from '../database/transaction.ts';
import type { Messages } from '../memory/memory.ts';

/** Messages that were taken from a host and that the model has not seen yet. */
export interface Inbox {
  /** Durable when it returns; gives the number to take it by. */
  put(text: string): number;
  /** Makes a message part of the conversation, in the order of being seen. */
  take(number: number): void;
  /** Takes what a process that is no more has left; gives how many those were. */
  takeLeft(): number;
}

interface Row {
  readonly number: number;
  readonly text: string;
}

export function createInbox(connection: Connection, messages: Messages, now: () => number): Inbox {
  const move = ({ number, text }: Row): void => {
    messages.append({ kind: 'user', text });
    run(connection, 'delete from inbox where number = :number', { number });
  };
  return {
    put: (text) =>
      run(connection, 'insert into inbox (at, text) values (:at, :text)', { at: Math.trunc(now()), text })
        .key,
    take: (number) =>
      transaction(connection, () => {
        const found = row<Row>(connection, 'select number, text from inbox where number = :number', {
          number,
        });
        if (found !== undefined) move(found);
      }),
    takeLeft: () =>
      transaction(connection, () => {
        const left = rows<Row>(connection, 'select number, text from inbox order by number');
        for (const one of left) move(one);
        return left.length;
      }),
  };
}
