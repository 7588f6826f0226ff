import { type Connection, run } from '../../connection.ts';

// What refers to others goes before what it refers to; the words go first, while the events that they belong to can be listed (`search/document.ts` says which rowid each has).
const STATEMENTS = [
  'delete from said where rowid in (select session * 16777216 + number from events where session = :session)',
  'delete from said where rowid = :session * 16777216',
  'delete from said_short where rowid in (select session * 16777216 + number from events where session = :session)',
  'delete from said_short where rowid = :session * 16777216',
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
