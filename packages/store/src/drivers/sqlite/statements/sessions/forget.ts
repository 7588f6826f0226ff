import { type Connection, run } from '../../connection.ts';

// Child rows before the rows that they reference. The search index first, because its rowids come from `events`: 16777216 is the 2^24 of
// `documentOf` in `search/document.ts`.
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
