import type { Forgotten, Sessions } from '../../../contract/sessions.ts';
import { listRows, runStatement, type Transaction } from '../connection.ts';

// Reads the index by `updated_at` from its old end. Sessions with open work are not idle, and neither are those that another
// transaction has locked.
const LOCK_IDLE_SESSIONS = `
  select seq from sessions
  where updated_at < :before and not running and waiting = 0
    and not exists (
      select 1 from deliveries where session = sessions.seq and state in ('pending', 'sending'))
  order by updated_at
  limit :limit
  for update skip locked`;

const LIST_FILES = 'select file from media where session = any(:sessions::bigint[]) order by file';

/** Tables with a column `session`, in the order of their foreign keys. */
const TABLES = [
  'said',
  'commands',
  'offers',
  'errands',
  'asks',
  'notices',
  'deliveries',
  'media',
  'turns',
  'messages',
  'events',
];

/** `Sessions.forget`, inside the transaction of the caller. */
export async function forgetIdleSessions(
  transaction: Transaction,
  { idleMs, limit }: Parameters<Sessions['forget']>[0],
): Promise<Forgotten> {
  const idle = { before: transaction.now - idleMs, limit };
  const locked = await listRows<{ seq: number }>(transaction, LOCK_IDLE_SESSIONS, idle);
  const sessions = locked.map(({ seq }) => seq);
  if (sessions.length === 0) return { sessions: 0, files: [] };
  const files = await listRows<{ file: string }>(transaction, LIST_FILES, { sessions });
  for (const table of TABLES)
    await runStatement(transaction, `delete from ${table} where session = any(:sessions::bigint[])`, {
      sessions,
    });
  await runStatement(transaction, 'delete from sessions where seq = any(:sessions::bigint[])', { sessions });
  return { sessions: sessions.length, files: files.map(({ file }) => file) };
}
