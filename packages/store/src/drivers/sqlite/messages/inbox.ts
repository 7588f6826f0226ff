import { StoreError } from '../../../contract/errors.ts';
import type { Admission, Inbox } from '../../../contract/inbox.ts';
import type { Dropped, UserSaid } from '../../../contract/records.ts';
import { storableJson, storableText } from '../../../storable.ts';
import { type Connection, findRow, listRows, requireRow, runStatement } from '../connection.ts';
import { type Context, newId } from '../context.ts';
import { appendEvent } from '../events/event-log.ts';
import { refuseClosed, requireSession, setLastEvent } from '../sessions/session-rows.ts';
import { countWaiting, enqueueAdmitted } from './session-queue.ts';
import {
  abandonMessages,
  type DroppedMessage,
  type MessageRow,
  returnMessage,
  SELECT_MESSAGES,
  toMessage,
} from './turn-messages.ts';

type Incoming = Parameters<Inbox['admit']>[0];

const FIND_MESSAGE_BY_ID = `${SELECT_MESSAGES} where messages.id = :id`;

export function createInbox(context: Context): Inbox {
  const { connection, read, write } = context;
  return {
    admit: (message) => write(() => admitMessage(context, message)),
    returnMessages: (ids) => write(() => returnAll(connection, ids)),
    get: (id) =>
      read(() => {
        const found = findRow<MessageRow>(connection, FIND_MESSAGE_BY_ID, { id: storableText(id) });
        return found === undefined ? undefined : { ...toMessage(found), state: found.state };
      }),
    dropWaiting: (sessionId, takenIn) => write(() => dropMessages(context, sessionId, takenIn)),
  };
}

function returnAll(connection: Connection, ids: readonly string[]): void {
  const sessions = new Set(ids.flatMap((id) => returnMessage(connection, id) ?? []));
  for (const session of sessions) countWaiting(connection, session);
}

const FIND_RUNNING_TURN = `
  select turns.seq from turns join sessions on sessions.seq = turns.session
  where sessions.id = :sessionId and sessions.running = 1 and turns.state = 'running'
  order by turns.seq desc
  limit 1`;

/**
 * `Inbox.dropWaiting`, inside the transaction of the caller. The holder of the running turn stops it. Returns the number
 * of messages in the `dropped` event.
 */
export function dropMessages(context: Context, sessionId: string, takenIn?: readonly string[]): number {
  const { connection } = context;
  const turn = findRow<{ seq: number }>(connection, FIND_RUNNING_TURN, { sessionId });
  const untaken = turn === undefined ? [] : abandonMessages(connection, turn.seq, takenIn);
  return dropWaiting(context, sessionId, untaken);
}

// Their `user` events stay in the log.
const DROP_WAITING = `
  update messages set state = 'dropped'
  where session = (select seq from sessions where id = :sessionId) and state = 'waiting'
  returning id, seq`;

/** Drops waiting messages and appends a `dropped` event, also for those in `untaken`. Returns their number. */
export function dropWaiting(context: Context, id: string, untaken: readonly DroppedMessage[] = []): number {
  const waiting = listRows<DroppedMessage>(context.connection, DROP_WAITING, { sessionId: id });
  return noteDropped(context, id, [...untaken, ...waiting]);
}

/** Appends a `dropped` event for messages that were dropped. Returns their number. */
export function noteDropped(
  { connection, now }: Context,
  id: string,
  dropped: readonly DroppedMessage[],
): number {
  const messageIds = dropped.toSorted((one, other) => one.seq - other.seq).map((message) => message.id);
  if (messageIds.length === 0) return 0;
  const { seq: session, last_event } = requireSession(connection, id);
  const body = storableJson({ type: 'dropped', messageIds } satisfies Dropped);
  const number = last_event + 1;
  appendEvent(connection, { session, number, turn: null, at: now(), body });
  setLastEvent(connection, session, number);
  countWaiting(connection, session);
  return messageIds.length;
}

const FIND_MESSAGE_BY_SOURCE = `${SELECT_MESSAGES} where messages.source = :source`;

function admitMessage(context: Context, incoming: Incoming): Admission {
  const source = storableText(incoming.source);
  const known = findRow<MessageRow>(context.connection, FIND_MESSAGE_BY_SOURCE, { source });
  return known === undefined ? admitNew(context, incoming, source) : admitAgain(context, known, incoming);
}

const COUNT_AHEAD = `
  select count(*) as ahead from messages
  where session = :session and seq < :message and state = 'waiting'`;

function admitAgain({ connection }: Context, known: MessageRow, incoming: Incoming): Admission {
  if (comparableContent(toMessage(known)) !== comparableContent(incoming))
    throw new StoreError('conflict', 'Another message was taken in under the same name.');
  const { session, seq } = known;
  const ahead =
    known.state === 'waiting'
      ? requireRow<{ ahead: number }>(connection, COUNT_AHEAD, { session, message: seq }).ahead
      : 0;
  const message = toMessage(known);
  const dropped = known.state === 'dropped' && message.turnId === undefined;
  return { message, duplicate: true, ahead, rank: 0, dropped, number: undefined };
}

/** Two messages with one `source` must be equal in this. A retry stores its attachments again, so only their names count. */
function comparableContent({ text, attachments }: Pick<Incoming, 'text' | 'attachments'>): string {
  return storableJson([text, attachments.map(({ kind, name }) => [kind, name])]);
}

const ADD_MESSAGE = `
  insert into messages (id, source, session, number, state, principal)
  values (:id, :source, :session, :number, 'waiting', :principal)`;

function admitNew({ connection, now, index }: Context, incoming: Incoming, source: string): Admission {
  const session = requireSession(connection, incoming.sessionId);
  refuseClosed(session);
  const at = now();
  const id = newId(at);
  const { text, sender, attachments } = incoming;
  const body = storableJson({ type: 'user', messageId: id, text, sender, attachments } satisfies UserSaid);
  const number = session.last_event + 1;
  appendEvent(connection, { session: session.seq, number, turn: null, at, body });
  index.noteSaid();
  const principal = storableText(incoming.principal ?? '');
  const added = { id, source, session: session.seq, number, principal };
  const message = runStatement(connection, ADD_MESSAGE, added).seq;
  const rank = enqueueAdmitted(connection, { session: session.seq, message, principal, number, now: at });
  return {
    message: toMessage({
      seq: message,
      id,
      session: session.seq,
      session_id: session.id,
      state: 'waiting',
      principal,
      body,
      at,
      turn_id: null,
    }),
    duplicate: false,
    ahead: session.waiting,
    rank,
    dropped: false,
    number,
  };
}
