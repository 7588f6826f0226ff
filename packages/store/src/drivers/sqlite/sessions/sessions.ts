import type { OpenedSession, Sessions } from '../../../contract/sessions.ts';
import { storableText } from '../../../storable.ts';
import { findRow, runStatement } from '../connection.ts';
import { type Context, newId } from '../context.ts';
import { dropWaiting } from '../messages/inbox.ts';
import { searchWordsOf } from '../search/words.ts';
import { chooseOptions, findOffered, renameSession } from './agent-facts.ts';
import { listSessions } from './session-pages.ts';
import { forgetIdleSessions } from './session-retention.ts';
import {
  beginSession,
  chooseAgent,
  findSession,
  rememberAgentSession,
  requireFound,
  requireSession,
  type SessionRow,
  toSession,
} from './session-rows.ts';

// `closed = 0` as in the partial unique index over live sessions, so that SQLite uses it.
const FIND_LIVE_SESSION = 'select * from sessions where channel = :channel and place = :place and closed = 0';

export function createSessions(context: Context): Sessions {
  const { connection, index, searcher, read, write, now } = context;
  const find: Sessions['find'] = (where) =>
    read(() => {
      const place = { channel: storableText(where.channel), place: storableText(where.place) };
      const live = findRow<SessionRow>(connection, FIND_LIVE_SESSION, place);
      return live === undefined ? undefined : toSession(live);
    });
  return {
    find,
    async open(where) {
      const place = {
        channel: storableText(where.channel),
        place: storableText(where.place),
        agent: storableText(where.agent),
      };
      // A read first: the session mostly exists, and a read waits for no commit.
      const live = await find(where);
      if (live !== undefined) return { ...live, begun: false };
      return write(() => beginOrFind(context, place));
    },
    get: (id) =>
      read(() => {
        const found = findSession(connection, id);
        return found === undefined ? undefined : toSession(found);
      }),
    async list({ search = '', signal, ...listing }) {
      const words = searchWordsOf(search);
      if (words.length === 0) return read(() => listSessions(connection, listing).map(toSession));
      await index.catchUp();
      return (await searcher.find({ words, ...listing }, signal)).map(toSession);
    },
    close: (id) => write(() => closeSession(context, id)),
    rename: (id, title, by = 'person') =>
      write(() => {
        const { seq: session } = requireSession(connection, id);
        renameSession(connection, { session, title: storableText(title), by, now: now() });
      }),
    chooseOptions: (id, values) => write(() => requireFound(id, chooseOptions(connection, id, values))),
    offered: (id) => read(() => findOffered(connection, id)),
    chooseAgent: (id, agent) =>
      write(() => requireFound(id, chooseAgent(connection, { id, agent: storableText(agent), now: now() }))),
    rememberAgentSession: (id, agentSession) =>
      write(() => requireFound(id, rememberAgentSession(connection, id, storableText(agentSession)))),
    movePlace: (channel, from, to) => write(() => movePlace(context, channel, from, to)),
    forget: (options) => write(() => forgetIdleSessions(context, options)),
  };
}

/** Another call may have begun the session since the read: then its id is not `id`. */
function beginOrFind({ connection, now }: Context, place: Parameters<Sessions['open']>[0]): OpenedSession {
  const at = now();
  const id = newId(at);
  const session = beginSession(connection, { ...place, id, now: at });
  return { ...toSession(session), begun: session.id === id };
}

// `or ignore`: the partial unique index allows one live session in a place. A newline follows the place in `FROM\nPERSON`.
const MOVE_TABLES = [
  ['update or ignore sessions', 'closed = 0'],
  ['update deliveries', "state in ('pending', 'sending')"],
  ['update people', 'true'],
] as const;

function movePlace({ connection }: Context, channel: string, from: string, to: string): void {
  const texts = { channel: storableText(channel), from: storableText(from), to: storableText(to) };
  for (const [table, condition] of MOVE_TABLES) {
    const where = `where channel = :channel and ${condition}`;
    runStatement(connection, `${table} set place = :to ${where} and place = :from`, texts);
    const suffixed = 'place > :from || char(10) and place < :from || char(11)';
    const moved = ':to || substr(place, length(:from) + 1)';
    runStatement(connection, `${table} set place = ${moved} ${where} and ${suffixed}`, texts);
  }
}

// A running turn goes on, and ends by its holder.
const MARK_CLOSED = 'update sessions set closed = 1, updated_at = :now where seq = :session';

/** Closes a session inside the transaction of the caller. */
export function closeSession(context: Context, id: string): void {
  const { connection, now } = context;
  const session = requireSession(connection, id);
  if (session.closed === 1) return;
  dropWaiting(context, id);
  runStatement(connection, MARK_CLOSED, { session: session.seq, now: now() });
}
