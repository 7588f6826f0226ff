import type { Store } from '../../contract/store.ts';
import { copyTo } from './backup.ts';
import type { Connection } from './connection.ts';
import type { Context } from './context.ts';
import type { FileLock } from './lock.ts';
import { createCommands } from './parts/commands.ts';
import { createErrands } from './parts/errands.ts';
import { createInbox } from './parts/inbox.ts';
import { createLog } from './parts/log.ts';
import { createMedia } from './parts/media.ts';
import { createOutbox } from './parts/outbox.ts';
import { createSessions } from './parts/sessions.ts';
import { createTokens } from './parts/tokens.ts';
import { createTurns } from './parts/turns.ts';
import { createSearchIndex } from './search/search-index.ts';
import { createSearcher } from './search/searcher.ts';
import { touch } from './statements/checks/touch.ts';
import { startVerification, type Verification } from './verify.ts';
import { createWriter } from './writer.ts';

/** A store on a connection that is up to date; `lock` is released when the connection is closed. */
export function createStore(connection: Connection, clock: () => number, lock: FileLock): Store {
  const writer = createWriter(connection, lock);
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
    errands: createErrands(context),
    log: createLog(context),
    outbox: createOutbox(context),
    media: createMedia(context),
    tokens: createTokens(context),
    verify() {
      const verification = startVerification(connection.file);
      verifying.add(verification);
      return verification.done.finally(() => verifying.delete(verification));
    },
    check: () => write(() => touch(connection, context.now())),
    async backup(file) {
      await read(() => undefined);
      const copy = copyTo(connection, file);
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
