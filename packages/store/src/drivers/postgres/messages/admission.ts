import { StoreError } from '../../../contract/errors.ts';
import type { Admission, Inbox } from '../../../contract/inbox.ts';
import type { UserSaid } from '../../../contract/records.ts';
import { storableJson, storableText } from '../../../storable.ts';
import { type Connection, NOW, requireRow } from '../connection.ts';
import { type Context, keyOf, newId } from '../context.ts';
import { sqlStateOf } from '../failure.ts';
import { searchedText } from '../search/said.ts';
import { refuseClosed, requireSession } from '../sessions/session-rows.ts';
import { commitAtOnce, insist } from '../transaction.ts';
import { rankSql } from './session-queue.ts';
import { findMessageBySource, type MessageRow, toMessage } from './turn-messages.ts';

type Incoming = Parameters<Inbox['admit']>[0];

/** A message with its id, which is the same at each attempt to store it. */
interface Arrival {
  readonly incoming: Incoming;
  readonly source: string;
  readonly id: string;
  readonly body: string;
}

/**
 * `Inbox.admit`, in one round trip. When its answer is lost, the next attempt finds the message by its `source`, with the
 * id of this call.
 */
export function admitMessage({ server, read }: Context, incoming: Incoming): Promise<Admission> {
  const id = newId(server.time());
  const { text, sender, attachments } = incoming;
  const body = storableJson({ type: 'user', messageId: id, text, sender, attachments } satisfies UserSaid);
  const arrival = { incoming, source: keyOf(incoming.source), id, body };
  return insist(server, async () => {
    const stored = await storeArrival(server, arrival);
    return stored ?? read((connection) => admitAgain(connection, arrival));
  });
}

// A separate statement: the snapshot of `ADMIT` is taken after the lock, and has all commits of this session.
const LOCK_SESSION = 'select 1 from sessions where id = :sessionId for no key update';

// The `seq` of a message is taken under the lock, so that messages of a session are in their order.
const ADMIT = `
  with message as (
    insert into messages (id, source_key, session, number, state, principal)
    select :id::text, :source::text, seq, last_event + 1, 'waiting', :principal::text
    from sessions where id = :sessionId and not closed
    returning seq, session, number),
  event as (
    insert into events (session, number, at, type, body)
    select session, number, ${NOW}, 'user', :body::text from message
    returning at),
  searched as (
    insert into said (session, number, text) select session, number, :text::text from message)
  update sessions
  set last_event = message.number, waiting = waiting + 1, oldest_waiting = coalesce(oldest_waiting, message.seq),
    principal = case when oldest_waiting is null then :principal::text else principal end,
    rank = case when oldest_waiting is null then ${rankSql(':principal::text')} else rank end,
    updated_at = event.at
  from message, event
  where sessions.seq = message.session
  returning event.at, message.number, waiting - 1 as ahead, rank`;

interface Admitted {
  readonly at: number;
  readonly number: number;
  readonly ahead: number;
  readonly rank: number;
}

/** `unique_violation`: another message or a command has the `source`. */
const TAKEN = '23505';

/** Undefined when the message cannot be stored: `admitAgain` finds out why. */
async function storeArrival(
  server: Context['server'],
  { incoming, source, id, body }: Arrival,
): Promise<Admission | undefined> {
  const { sessionId, principal = '' } = incoming;
  const text = searchedText({ ...incoming, type: 'user', messageId: id }) ?? '';
  const values = { id, source, sessionId, principal, body, text };
  try {
    const [, rows] = await commitAtOnce(server, [
      [LOCK_SESSION, { sessionId }],
      [ADMIT, values],
    ]);
    const [admitted] = rows as readonly Admitted[];
    if (admitted === undefined) return undefined;
    const { at, number, ahead, rank } = admitted;
    const message = toMessage({
      ...{ id, session_id: storableText(sessionId), principal: storableText(principal) },
      ...{ body, at, turn_id: null },
    });
    return { message, duplicate: false, ahead, rank, dropped: false, number };
  } catch (error) {
    if (sqlStateOf(error) === TAKEN) return undefined;
    throw error;
  }
}

const COUNT_AHEAD = `
  select count(*) as ahead from messages
  where session = :session and seq < :message and state = 'waiting'`;

async function admitAgain(connection: Connection, { incoming, source, id }: Arrival): Promise<Admission> {
  const known = await findMessageBySource(connection, source);
  if (known === undefined) {
    refuseClosed(await requireSession(connection, incoming.sessionId));
    throw new StoreError('conflict', 'A command was given under the same name.');
  }
  const isOwn = known.id === id;
  const message = toMessage(known);
  if (!isOwn && comparableContent(message) !== comparableContent(incoming))
    throw new StoreError('conflict', 'Another message was taken in under the same name.');
  return {
    message,
    duplicate: !isOwn,
    ahead: await countAhead(connection, known),
    rank: 0,
    dropped: known.state === 'dropped' && message.turnId === undefined,
    number: isOwn ? known.number : undefined,
  };
}

async function countAhead(connection: Connection, { session, seq, state }: MessageRow): Promise<number> {
  if (state !== 'waiting') return 0;
  return (await requireRow<{ ahead: number }>(connection, COUNT_AHEAD, { session, message: seq })).ahead;
}

/** Two messages with one `source` must be equal in this. A retry stores its attachments again, so only their names count. */
function comparableContent({ text, attachments }: Pick<Incoming, 'text' | 'attachments'>): string {
  return storableJson([text, attachments.map(({ kind, name }) => [kind, name])]);
}
