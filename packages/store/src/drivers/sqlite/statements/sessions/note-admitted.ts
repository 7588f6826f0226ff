import { type Connection, run } from '../../connection.ts';

// Counts up, where moving messages counts anew: an admission is what happens most.
const SQL = `
  update sessions
  set last_event = :number, waiting = waiting + 1, oldest_waiting = coalesce(oldest_waiting, :message),
    updated_at = :now
  where seq = :session`;

/** Notes that a message, whose event has this number, waits. */
export function noteAdmitted(
  connection: Connection,
  admitted: {
    readonly session: number;
    readonly message: number;
    readonly number: number;
    readonly now: number;
  },
): void {
  run(connection, SQL, admitted);
}
