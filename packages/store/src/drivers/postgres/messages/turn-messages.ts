import type { Message, UserSaid } from '../../../contract/records.ts';
import { type Connection, findRow, listRows, runStatement, type Transaction } from '../connection.ts';

/** A row of `messages`, with `body` and `at` of its event in the log. */
export interface MessageRow {
  readonly seq: number;
  readonly id: string;
  readonly session: number;
  readonly session_id: string;
  readonly number: number;
  readonly state: 'waiting' | 'taken' | 'dropped';
  readonly principal: string;
  readonly body: string;
  readonly at: number;
  readonly turn_id: string | null;
}

/** Selects each `MessageRow`. */
export const SELECT_MESSAGES = `
  select messages.*, events.body, events.at, sessions.id as session_id,
    (select id from turns where seq = messages.turn) as turn_id
  from messages
  join events using (session, number)
  join sessions on sessions.seq = messages.session`;

export function toMessage(row: Omit<MessageRow, 'seq' | 'session' | 'state' | 'number'>): Message {
  const said = JSON.parse(row.body) as UserSaid;
  return {
    id: row.id,
    sessionId: row.session_id,
    text: said.text,
    attachments: said.attachments,
    sender: said.sender,
    principal: row.principal,
    receivedAt: row.at,
    turnId: row.turn_id ?? undefined,
  };
}

const TAKE_WAITING = `
  update messages set state = 'taken', turn = :turn, given = true
  where session = :session and state = 'waiting'
  returning seq`;

const LIST_TAKEN = `${SELECT_MESSAGES} where messages.seq = any(:taken::bigint[]) order by messages.seq`;

/** Takes all waiting messages of a locked session into a turn, as given. Oldest first. */
export async function takeAllWaiting(
  transaction: Transaction,
  { session, turn }: { readonly session: number; readonly turn: number },
): Promise<Message[]> {
  const rows = await listRows<{ seq: number }>(transaction, TAKE_WAITING, { session, turn });
  if (rows.length === 0) return [];
  const taken = rows.map(({ seq }) => seq);
  return (await listRows<MessageRow>(transaction, LIST_TAKEN, { taken })).map(toMessage);
}

const MESSAGES_OF_TURN = "select id, given from messages where turn = :turn and state = 'taken' order by seq";

/** The messages of a turn without the dropped, oldest first. */
export function listTurnMessages(
  connection: Connection,
  turn: number,
): Promise<{ readonly id: string; readonly given: boolean }[]> {
  return listRows(connection, MESSAGES_OF_TURN, { turn });
}

const GIVE_MESSAGES = 'update messages set given = true where id = any(:ids::text[]) and turn = :turn';

/** Marks messages whose first byte is written to the agent next. */
export async function markGiven(
  transaction: Transaction,
  ids: readonly string[],
  turn: number,
): Promise<void> {
  if (ids.length > 0) await runStatement(transaction, GIVE_MESSAGES, { ids, turn });
}

// `/stop` has dropped the messages of a running turn: they stay dropped. A closed session has no more turns.
const PUT_BACK_MESSAGES = `
  update messages set state = 'waiting', turn = null, given = false
  where id = any(:ids::text[]) and session = :session and state = 'taken'
    and not (select closed from sessions where seq = :session)
  returning seq`;

/** Returns taken messages of a locked session to their old places in the queue. Resolves to their number. */
export async function returnMessages(
  transaction: Transaction,
  session: number,
  ids: readonly string[],
): Promise<number> {
  return ids.length === 0 ? 0 : runStatement(transaction, PUT_BACK_MESSAGES, { session, ids });
}

const PUT_BACK_TURN = `
  update messages set state = 'waiting', turn = null, given = false where turn = :turn and state = 'taken'`;

/** Returns the messages of a turn to the queue, without the dropped. */
export async function returnTurnMessages(transaction: Transaction, turn: number): Promise<void> {
  await runStatement(transaction, PUT_BACK_TURN, { turn });
}

// `returnMessages` returns only `taken` messages to the queue.
const ABANDON_MESSAGES = "update messages set state = 'dropped' where state = 'taken' and turn = :turn";

// The first message of a turn is answered by its `end`, also when the agent has not begun.
const DROP_UNTAKEN = `
  update messages set state = 'dropped', turn = null
  where state = 'taken' and turn = :turn
    and seq is distinct from (select message from turns where seq = :turn)
    and not id = any(:takenIn::text[])
  returning id, seq`;

/** A message that was dropped before an agent took it in. */
export interface DroppedMessage {
  readonly id: string;
  readonly seq: number;
}

/** Drops the messages of a turn. Resolves to the steered messages that are not in `takenIn`; to none without `takenIn`. */
export async function abandonMessages(
  transaction: Transaction,
  turn: number,
  takenIn: readonly string[] | undefined,
): Promise<readonly DroppedMessage[]> {
  const untaken =
    takenIn === undefined ? [] : await listRows<DroppedMessage>(transaction, DROP_UNTAKEN, { turn, takenIn });
  await runStatement(transaction, ABANDON_MESSAGES, { turn });
  return untaken;
}

const FIND_MESSAGE_BY_ID = `${SELECT_MESSAGES} where messages.id = :id`;

export function findMessage(connection: Connection, id: string): Promise<MessageRow | undefined> {
  return findRow(connection, FIND_MESSAGE_BY_ID, { id });
}

const FIND_MESSAGE_BY_SOURCE = `${SELECT_MESSAGES} where messages.source_key = :source`;

export function findMessageBySource(connection: Connection, source: string): Promise<MessageRow | undefined> {
  return findRow(connection, FIND_MESSAGE_BY_SOURCE, { source });
}
