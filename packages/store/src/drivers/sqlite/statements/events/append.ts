import { type Connection, run } from '../../connection.ts';

// The number comes from the session, in the same transaction; the unique index is the proof that it was free.
const SQL = `
  insert into events (session, number, turn, at, body) values (:session, :number, :turn, :at, :body)`;

/** Writes one event. */
export function appendEvent(
  connection: Connection,
  event: {
    readonly session: number;
    readonly number: number;
    readonly turn: number | null;
    readonly at: number;
    readonly body: string;
  },
): void {
  run(connection, SQL, event);
}
