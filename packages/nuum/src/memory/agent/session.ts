import { type Connection, row, run } from '../../database/connection.ts';
import { MemoryError } from '../../database/error.ts';
import { transaction } from '../../database/transaction.ts';

/** The session of a memory; one that has none yet is given the one that `make` makes, for good. */
export function sessionOf(connection: Connection, now: number, make: () => string): string {
  return (
    known(connection) ??
    transaction(connection, () => {
      const session = make();
      run(connection, 'insert into agent (only, session, created_at) values (1, :session, :now)', {
        session,
        now,
      });
      return session;
    })
  );
}

/** The session of a memory that may only be looked into. */
export function knownSessionOf(connection: Connection): string {
  const session = known(connection);
  if (session !== undefined) return session;
  throw new MemoryError('outdated', `The memory ${connection.file} is empty; start the agent on it once.`);
}

function known(connection: Connection): string | undefined {
  return row<{ session: string }>(connection, 'select session from agent where only = 1')?.session;
}
