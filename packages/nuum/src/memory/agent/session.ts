import { type Connection, findRow, runStatement, runTransaction } from '@plugboard/sqlite';
import { MemoryError } from '../../database/error.ts';

/** The session id of a memory. Stores the result of `make` when there is none. */
export function sessionOf(connection: Connection, now: number, make: () => string): string {
  return (
    findSession(connection) ??
    runTransaction(connection, () => {
      const session = make();
      runStatement(connection, 'insert into agent (only, session, created_at) values (1, :session, :now)', {
        session,
        now,
      });
      return session;
    })
  );
}

/** The session id of a memory opened with `readOnly`. */
export function knownSessionOf(connection: Connection): string {
  const session = findSession(connection);
  if (session !== undefined) return session;
  throw new MemoryError('outdated', `The memory ${connection.file} is empty; start the agent on it once.`);
}

function findSession(connection: Connection): string | undefined {
  return findRow<{ session: string }>(connection, 'select session from agent where only = 1')?.session;
}
