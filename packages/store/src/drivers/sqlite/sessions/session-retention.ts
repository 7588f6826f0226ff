import type { Forgotten, Sessions } from '../../../contract/sessions.ts';
import { listRows, runStatement } from '../connection.ts';
import type { Context } from '../context.ts';
import { limitIndexMark } from '../search/documents.ts';

// Reads the index by `updated_at` from its old end. Sessions with open work are not idle.
const FIND_IDLE_SESSIONS = `
  select seq from sessions
  where updated_at < :before and running = 0 and waiting = 0
    and not exists (
      select 1 from deliveries where session = sessions.seq and state in ('pending', 'sending'))
  order by updated_at
  limit :limit`;

// Child rows before the rows that they reference. The search index first, because its rowids come from `events`: 16777216
// is the 2^24 of `documentOf` in `search/documents.ts`.
const FORGET_SESSION = [
  'delete from said where rowid in (select session * 16777216 + number from events where session = :session)',
  'delete from said where rowid = :session * 16777216',
  'delete from said_short where rowid in (select session * 16777216 + number from events where session = :session)',
  'delete from said_short where rowid = :session * 16777216',
  'delete from commands where session = :session',
  'delete from offers where session = :session',
  'delete from asks where session = :session',
  'delete from notices where session = :session',
  'delete from deliveries where session = :session',
  'delete from media where session = :session',
  'delete from turns where session = :session',
  'delete from messages where session = :session',
  'delete from events where session = :session',
  'delete from sessions where seq = :session',
];

const LIST_FILES = 'select file from media where session = :session';

/** `Sessions.forget`, inside the transaction of the caller. */
export function forgetIdleSessions(
  { connection, now }: Context,
  { idleMs, limit }: Parameters<Sessions['forget']>[0],
): Forgotten {
  const idle = { before: now() - idleMs, limit };
  const sessions = listRows<{ seq: number }>(connection, FIND_IDLE_SESSIONS, idle).map(({ seq }) => seq);
  const files = sessions.flatMap((session) =>
    listRows<{ file: string }>(connection, LIST_FILES, { session }),
  );
  for (const session of sessions)
    for (const sql of FORGET_SESSION) runStatement(connection, sql, { session });
  if (sessions.length > 0) limitIndexMark(connection);
  return { sessions: sessions.length, files: files.map(({ file }) => file) };
}
