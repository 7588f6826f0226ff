import type { WatchedLock } from '@plugboard/sqlite';
import type { Store } from '../../contract/store.ts';
import { copyDatabase } from './backup/copy-database.ts';
import { type Connection, findRow, runStatement } from './connection.ts';
import type { Context } from './context.ts';
import { createAskRecords } from './events/asks.ts';
import { createEventLog } from './events/event-log.ts';
import { createMedia } from './media.ts';
import { createInbox } from './messages/inbox.ts';
import { createOutbox } from './messages/outbox.ts';
import { createPeople } from './people.ts';
import { createSearchIndex } from './search/search-index.ts';
import { createSearcher } from './search/searcher.ts';
import { createBackgroundWork } from './sessions/background-work.ts';
import { createCommands } from './sessions/commands.ts';
import { createSessions } from './sessions/sessions.ts';
import { createTokens } from './tokens.ts';
import { createTurns } from './turns/turns.ts';
import { startVerification, type Verification } from './verify.ts';
import { createWriter, MOST_TOGETHER } from './writer.ts';

/** Needs a migrated `connection`. `close` releases `lock` after it has closed the connection. */
export function createStore(
  connection: Connection,
  clock: () => number,
  lock: WatchedLock,
  together = true,
): Store {
  const writer = createWriter(connection, lock, together ? MOST_TOGETHER : 1);
  const { read, write, end } = writer;
  const index = createSearchIndex(connection, writer);
  const searcher = createSearcher(connection.file);
  const context: Context = { connection, index, searcher, read, write, now: () => Math.trunc(clock()) };
  const copying = new Set<Promise<void>>();
  const verifying = new Set<Verification>();
  return {
    sessions: createSessions(context),
    inbox: createInbox(context),
    commands: createCommands(context),
    turns: createTurns(context),
    errands: createBackgroundWork(context),
    asks: createAskRecords(context),
    log: createEventLog(context),
    outbox: createOutbox(context),
    media: createMedia(context),
    tokens: createTokens(context),
    people: createPeople(context),
    createdAt: readCreatedAt(connection),
    verify() {
      const verification = startVerification(connection.file);
      verifying.add(verification);
      return verification.done.finally(() => verifying.delete(verification));
    },
    check: () => write(() => writeCheck(connection, context.now())),
    async backup(file) {
      await read(() => undefined);
      const copy = copyDatabase(connection, file);
      copying.add(copy);
      await copy.finally(() => copying.delete(copy));
    },
    async close() {
      index.close();
      end();
      await searcher.close();
      await Promise.all([...verifying].map((one) => one.cancel()));
      await Promise.allSettled(copying);
      if (!connection.database.isOpen) return;
      connection.database.close();
      lock.release();
    },
  };
}

// 64 KiB: a nearly full disk may still take a few bytes.
const WRITE_CHECK = `
  insert into checks values (1, :now, zeroblob(65536))
  on conflict (only) do update set at = excluded.at, filler = excluded.filler`;

function writeCheck(connection: Connection, now: number): void {
  runStatement(connection, WRITE_CHECK, { now });
}

function readCreatedAt(connection: Connection): number {
  const statement = 'select min(applied_at) as at from migrations';
  return findRow<{ at: number | null }>(connection, statement)?.at ?? 0;
}
