import { StoreError } from '../../../contract/errors.ts';
import type { Admission, Inbox } from '../../../contract/inbox.ts';
import type { UserSaid } from '../../../contract/records.ts';
import { storableJson, storableText } from '../../../storable.ts';
import type { Connection } from '../connection.ts';
import type { Context } from '../context.ts';
import { newId } from '../id.ts';
import { type MessageRow, toMessage } from '../records/message.ts';
import { appendEvent } from '../statements/events/append.ts';
import { addMessage } from '../statements/messages/add.ts';
import { countAhead } from '../statements/messages/count-ahead.ts';
import { findMessageBySource } from '../statements/messages/find-by-source.ts';
import { letGoMessages } from '../statements/messages/let-go.ts';
import { putBackMessage } from '../statements/messages/put-back-one.ts';
import { countWaiting } from '../statements/sessions/count-waiting.ts';
import { noteAdmitted } from '../statements/sessions/note-admitted.ts';
import { dropWaiting, refuseClosed, theSession } from './sessions.ts';

type Incoming = Parameters<Inbox['admit']>[0];

/** The inbox of a store. */
export function createInbox(context: Context): Inbox {
  const { connection, write } = context;
  return {
    admit: (message) => write(() => admit(context, message)),
    letGo: (sessionId) => write(() => letGoMessages(connection, sessionId)),
    putBack: (ids) => write(() => putBack(connection, ids)),
    dropWaiting: (sessionId) => write(() => dropAll(context, sessionId)),
  };
}

function putBack(connection: Connection, ids: readonly string[]): void {
  const sessions = new Set(ids.flatMap((id) => putBackMessage(connection, id) ?? []));
  for (const session of sessions) countWaiting(connection, session);
}

/** Drops what waits, and what runs if it is interrupted, as part of whatever transaction is under way. */
export function dropAll(context: Context, sessionId: string): number {
  letGoMessages(context.connection, sessionId);
  return dropWaiting(context, sessionId);
}

function admit(context: Context, incoming: Incoming): Admission {
  const source = storableText(incoming.source);
  const known = findMessageBySource(context.connection, source);
  return known === undefined ? admitNew(context, incoming, source) : duplicate(context, known, incoming);
}

function duplicate({ connection }: Context, known: MessageRow, incoming: Incoming): Admission {
  if (wordsOf(toMessage(known)) !== wordsOf(incoming))
    throw new StoreError('conflict', 'Another message was taken in under the same name.');
  const ahead = known.state === 'waiting' ? countAhead(connection, known.session, known.seq) : 0;
  return { message: toMessage(known), duplicate: true, ahead, rank: 0, number: undefined };
}

/** What makes a message another one. Files are kept anew each time they come, and are known by what they are called. */
function wordsOf({ text, attachments }: Pick<Incoming, 'text' | 'attachments'>): string {
  return storableJson([text, attachments.map(({ kind, name }) => [kind, name])]);
}

function admitNew({ connection, now, index }: Context, incoming: Incoming, source: string): Admission {
  const session = theSession(connection, incoming.sessionId);
  refuseClosed(session);
  const at = now();
  const id = newId(at);
  const { text, sender, attachments } = incoming;
  const body = storableJson({ type: 'user', messageId: id, text, sender, attachments } satisfies UserSaid);
  const number = session.last_event + 1;
  appendEvent(connection, { session: session.seq, number, turn: null, at, body });
  index.noteSaid();
  const principal = storableText(incoming.principal ?? '');
  const message = addMessage(connection, { id, source, session: session.seq, number, principal });
  const rank = noteAdmitted(connection, { session: session.seq, message, principal, number, now: at });
  return {
    message: toMessage({
      seq: message,
      id,
      session: session.seq,
      session_id: session.id,
      state: 'waiting',
      body,
      at,
      turn_id: null,
    }),
    duplicate: false,
    ahead: session.waiting,
    rank,
    number,
  };
}
