import { StoreError } from '../../../contract/errors.ts';
import type { Dropped } from '../../../contract/records.ts';
import type { Forgotten, OpenedSession, Sessions } from '../../../contract/sessions.ts';
import { storableJson, storableText } from '../../../storable.ts';
import type { Connection } from '../connection.ts';
import type { Context } from '../context.ts';
import { newId } from '../id.ts';
import { type SessionRow, toSession } from '../records/session.ts';
import { documentOf, TITLE } from '../search/document.ts';
import { forgetText, indexText } from '../search/index-text.ts';
import { stepBack } from '../search/step-back.ts';
import { searchWordsOf } from '../search/words.ts';
import { appendEvent } from '../statements/events/append.ts';
import { listFiles } from '../statements/media/list-files.ts';
import { dropMessages } from '../statements/messages/drop.ts';
import { advance } from '../statements/sessions/advance.ts';
import { beginSession } from '../statements/sessions/begin.ts';
import { chooseAgent } from '../statements/sessions/choose-agent.ts';
import { closeSession } from '../statements/sessions/close.ts';
import { countWaiting } from '../statements/sessions/count-waiting.ts';
import { findSession } from '../statements/sessions/find.ts';
import { findIdleSessions } from '../statements/sessions/find-idle.ts';
import { findLiveSession } from '../statements/sessions/find-live.ts';
import { forgetSession } from '../statements/sessions/forget.ts';
import { listSessions } from '../statements/sessions/list.ts';
import { rememberAgentSession } from '../statements/sessions/remember-agent-session.ts';
import { renameSession } from '../statements/sessions/rename.ts';

/** The sessions of a store. */
export function createSessions(context: Context): Sessions {
  const { connection, index, searcher, read, write, now } = context;
  return {
    async open(where) {
      const place = {
        channel: storableText(where.channel),
        place: storableText(where.place),
        agent: storableText(where.agent),
      };
      // Almost always it is there, and a read waits for no disk.
      const live = await read(() => findLiveSession(connection, place));
      if (live !== undefined) return { ...toSession(live), begun: false };
      return write(() => begun(context, place));
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
    close: (id) => write(() => close(context, id)),
    rename: (id, title) => write(() => rename(context, id, storableText(title))),
    chooseAgent: (id, agent) =>
      write(() => there(id, chooseAgent(connection, { id, agent: storableText(agent), now: now() }))),
    rememberAgentSession: (id, agentSession) =>
      write(() => there(id, rememberAgentSession(connection, id, storableText(agentSession)))),
    forget: (options) => write(() => forget(context, options)),
  };
}

/** Somebody else may have begun it since it was looked for: then it has another id than the one meant for it. */
function begun({ connection, now }: Context, place: Parameters<Sessions['open']>[0]): OpenedSession {
  const at = now();
  const id = newId(at);
  const session = beginSession(connection, { ...place, id, now: at });
  return { ...toSession(session), begun: session.id === id };
}

function forget(
  { connection, now }: Context,
  { idleMs, limit }: Parameters<Sessions['forget']>[0],
): Forgotten {
  const sessions = findIdleSessions(connection, { before: now() - idleMs, limit });
  const files = sessions.flatMap((session) => listFiles(connection, session));
  for (const session of sessions) forgetSession(connection, session);
  if (sessions.length > 0) stepBack(connection);
  return { sessions: sessions.length, files };
}

/** Ends a session, as part of whatever transaction is under way. */
export function close(context: Context, id: string): void {
  const { connection, now } = context;
  const session = theSession(connection, id);
  if (session.closed === 1) return;
  dropWaiting(context, id);
  closeSession(connection, session.seq, now());
}

/** Drops the messages of a session that wait, and appends their ids to its log; returns how many there were. */
export function dropWaiting({ connection, now }: Context, id: string): number {
  const messageIds = dropMessages(connection, id);
  if (messageIds.length === 0) return 0;
  const { seq: session, last_event } = theSession(connection, id);
  const body = storableJson({ type: 'dropped', messageIds } satisfies Dropped);
  const number = last_event + 1;
  appendEvent(connection, { session, number, turn: null, at: now(), body });
  advance(connection, session, number);
  countWaiting(connection, session);
  return messageIds.length;
}

function rename({ connection, now }: Context, id: string, title: string): void {
  const seq = renameSession(connection, { id, title, now: now() });
  there(id, seq !== undefined);
  if (seq === undefined) return;
  const document = documentOf(seq, TITLE);
  forgetText(connection, document);
  indexText(connection, document, title);
}

/** The session with this id; throws when there is none. */
export function theSession(connection: Connection, id: string): SessionRow {
  const session = findSession(connection, id);
  if (session === undefined) throw noSession(id);
  return session;
}

/** Nothing more happens in a session that has ended. */
export function refuseClosed({ id, closed }: SessionRow): void {
  if (closed === 1) throw new StoreError('closed-session', `The session ${id} was closed.`);
}

function there(id: string, found: boolean): void {
  if (!found) throw noSession(id);
}

function noSession(id: string): StoreError {
  return new StoreError('not-found', `There is no session ${id}.`);
}
