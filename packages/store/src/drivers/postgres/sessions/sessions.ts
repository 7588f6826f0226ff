import type { OpenedSession, Sessions } from '../../../contract/sessions.ts';
import { findRow, runStatement, type Transaction } from '../connection.ts';
import { type Context, keyOf } from '../context.ts';
import { dropWaiting } from '../messages/inbox.ts';
import { searchWordsOf } from '../search/said.ts';
import { createSearcher } from '../search/searcher.ts';
import { chooseOptions, findOffered, renameSession } from './agent-facts.ts';
import { movePlace } from './move-place.ts';
import { listSessions } from './session-pages.ts';
import { forgetIdleSessions } from './session-retention.ts';
import {
  beginSession,
  chooseAgent,
  findSession,
  lockSession,
  rememberAgentSession,
  requireFound,
  type SessionRow,
  toSession,
} from './session-rows.ts';

const FIND_LIVE_SESSION = `
  select * from sessions where channel = :channel and place_key = :placeKey and not closed`;

export function createSessions(context: Context): Sessions {
  const { read, write } = context;
  const searcher = createSearcher(context);
  const find: Sessions['find'] = (where) =>
    read(async (connection) => {
      const place = { channel: where.channel, placeKey: keyOf(where.place) };
      const live = await findRow<SessionRow>(connection, FIND_LIVE_SESSION, place);
      return live === undefined ? undefined : toSession(live);
    });
  return {
    find,
    async open(where) {
      // A read first: the session mostly exists.
      const live = await find(where);
      if (live !== undefined) return { ...live, begun: false };
      return write(
        `place ${where.channel} ${keyOf(where.place)}`,
        async (transaction): Promise<OpenedSession> => {
          const { session, begun } = await beginSession(transaction, where);
          return { ...toSession(session), begun };
        },
      );
    },
    get: (id) =>
      read(async (connection) => {
        const found = await findSession(connection, id);
        return found === undefined ? undefined : toSession(found);
      }),
    async list({ search = '', signal, ...listing }) {
      const words = searchWordsOf(search);
      const rows =
        words.length === 0
          ? await read((connection) => listSessions(connection, listing))
          : await searcher.find({ ...listing, words }, signal);
      return rows.map(toSession);
    },
    close: (id) => write(id, (transaction) => closeSession(transaction, id)),
    rename: (id, title, by = 'person') =>
      write(id, async (transaction) => {
        const { seq: session } = await lockSession(transaction, id);
        await renameSession(transaction, { session, title, by });
      }),
    chooseOptions: (id, values) =>
      write(id, async (transaction) =>
        chooseOptions(transaction, await lockSession(transaction, id), values),
      ),
    offered: (id) => read((connection) => findOffered(connection, id)),
    chooseAgent: (id, agent) =>
      write(id, async (transaction) => requireFound(id, await chooseAgent(transaction, id, agent))),
    rememberAgentSession: (id, agentSession) =>
      write(id, async (transaction) =>
        requireFound(id, await rememberAgentSession(transaction, id, agentSession)),
      ),
    movePlace: (channel, from, to) =>
      write(`place ${channel} ${keyOf(from)}`, (transaction) =>
        movePlace(transaction, { channel, from, to }),
      ),
    forget: (options) => write('forget', (transaction) => forgetIdleSessions(transaction, options)),
  };
}

// A running turn goes on, and ends by its holder.
const MARK_CLOSED = 'update sessions set closed = true, updated_at = :now where seq = :session';

/** Closes a session inside the transaction of the caller. */
export async function closeSession(transaction: Transaction, id: string): Promise<void> {
  const session = await lockSession(transaction, id);
  if (session.closed) return;
  await dropWaiting(transaction, session);
  await runStatement(transaction, MARK_CLOSED, { session: session.seq });
}
