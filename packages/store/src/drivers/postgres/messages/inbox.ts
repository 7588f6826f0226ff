import type { Inbox } from '../../../contract/inbox.ts';
import type { Dropped } from '../../../contract/records.ts';
import { findRow, listRows, type Transaction } from '../connection.ts';
import type { Context } from '../context.ts';
import { appendEvents } from '../events/event-log.ts';
import { lockSession, type SessionRow, setLastEvent } from '../sessions/session-rows.ts';
import { admitMessage } from './admission.ts';
import { countWaiting } from './session-queue.ts';
import {
  abandonMessages,
  type DroppedMessage,
  findMessage,
  returnMessages,
  toMessage,
} from './turn-messages.ts';

export function createInbox(context: Context): Inbox {
  const { read, write, enter, arrivals } = context;
  return {
    admit(message) {
      const admission = enter(message.sessionId, () => admitMessage(context, message));
      arrivals.add(admission);
      const forget = (): void => void arrivals.delete(admission);
      admission.then(forget, forget);
      return admission;
    },
    returnMessages: (ids) => write('returns', (transaction) => returnAll(transaction, ids)),
    get: (id) =>
      read(async (connection) => {
        const found = await findMessage(connection, id);
        return found === undefined ? undefined : { ...toMessage(found), state: found.state };
      }),
    dropWaiting: (sessionId, takenIn) =>
      write(sessionId, async (transaction) => {
        const [session] = await listRows<SessionRow>(transaction, LOCK_IF_THERE, { id: sessionId });
        return session === undefined ? 0 : dropMessages(transaction, session, takenIn);
      }),
  };
}

const LOCK_IF_THERE = 'select * from sessions where id = :id for no key update';

// In one order, so that two transactions do not wait for each other.
const LOCK_SESSIONS_OF = `
  select seq from sessions
  where seq in (select session from messages where id = any(:ids::text[]))
  order by seq
  for no key update`;

async function returnAll(transaction: Transaction, ids: readonly string[]): Promise<void> {
  const sessions = await listRows<{ seq: number }>(transaction, LOCK_SESSIONS_OF, { ids });
  for (const { seq } of sessions)
    if ((await returnMessages(transaction, seq, ids)) > 0) await countWaiting(transaction, seq);
}

const FIND_RUNNING_TURN = `
  select seq from turns where session = :session and state = 'running' order by seq desc limit 1`;

/**
 * `Inbox.dropWaiting` for a locked session. The holder of the running turn stops it. Resolves to the number of messages in
 * the `dropped` event.
 */
export async function dropMessages(
  transaction: Transaction,
  session: SessionRow,
  takenIn?: readonly string[],
): Promise<number> {
  const turn = session.running
    ? await findRow<{ seq: number }>(transaction, FIND_RUNNING_TURN, { session: session.seq })
    : undefined;
  const untaken = turn === undefined ? [] : await abandonMessages(transaction, turn.seq, takenIn);
  return dropWaiting(transaction, session, untaken);
}

// Their `user` events stay in the log.
const DROP_WAITING = `
  update messages set state = 'dropped'
  where session = :session and state = 'waiting'
  returning id, seq`;

/** Drops waiting messages and appends a `dropped` event, also for those in `untaken`. Resolves to their number. */
export async function dropWaiting(
  transaction: Transaction,
  session: Pick<SessionRow, 'id' | 'seq'>,
  untaken: readonly DroppedMessage[] = [],
): Promise<number> {
  const waiting = await listRows<DroppedMessage>(transaction, DROP_WAITING, { session: session.seq });
  return noteDropped(transaction, session, [...untaken, ...waiting]);
}

/** Appends a `dropped` event for messages that were dropped in a locked session. Resolves to their number. */
export async function noteDropped(
  transaction: Transaction,
  { id, seq: session }: Pick<SessionRow, 'id' | 'seq'>,
  dropped: readonly DroppedMessage[],
): Promise<number> {
  const messageIds = dropped.toSorted((one, other) => one.seq - other.seq).map((message) => message.id);
  if (messageIds.length === 0) return 0;
  const { last_event } = await lockSession(transaction, id);
  const event: Dropped = { type: 'dropped', messageIds };
  await appendEvents(transaction, { session, turn: null, last_event }, [event]);
  await setLastEvent(transaction, session, last_event + 1);
  await countWaiting(transaction, session);
  return messageIds.length;
}
