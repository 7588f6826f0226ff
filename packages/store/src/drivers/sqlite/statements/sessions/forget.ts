import { type Connection, run } from '../../connection.ts';

// What refers to others goes before what it refers to; the words go first, while it is known where they stand.
const STATEMENTS = [
  'delete from said where rowid in (select seq from events where session = :session)',
  'delete from said where rowid = -:session',
  'delete from commands where session = :session',
  'delete from notices where session = :session',
  'delete from deliveries where session = :session',
  'delete from media where session = :session',
  'delete from turns where session = :session',
  'delete from messages where session = :session',
  'delete from events where session = :session',
  'delete from sessions where seq = :session',
];

/** Deletes a session and everything that belongs to it. */
export function forgetSession(connection: Connection, session: number): void {
  for (const sql of STATEMENTS) run(connection, sql, { session });
}
