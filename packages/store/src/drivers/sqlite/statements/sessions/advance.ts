import { type Connection, run } from '../../connection.ts';

const SQL = 'update sessions set last_event = :number where seq = :session';

/** Notes the highest number that an event of the session has. */
export function advance(connection: Connection, session: number, number: number): void {
  run(connection, SQL, { session, number });
}
