import type { Message, UserSaid } from '../../../contract/records.ts';
import { type Connection, findRow, listRows, runStatement } from '../connection.ts';

/** A row of `messages`, with `body` and `at` of its event in the log. */
export interface MessageRow {
  readonly seq: number;
  readonly id: string;
  readonly session: number;
  readonly session_id: string;
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

export function toMessage(row: MessageRow): Message {
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

const FIND_MESSAGE = `${SELECT_MESSAGES} where messages.seq = :message`;

export function findMessage(connection: Connection, message: number): MessageRow | undefined {
  return findRow(connection, FIND_MESSAGE, { message });
}

const LIST_WAITING = `${SELECT_MESSAGES} where messages.session = :session and messages.state = 'waiting' order by messages.seq`;

/** Oldest first. */
export function listWaiting(connection: Connection, session: number): MessageRow[] {
  return listRows(connection, LIST_WAITING, { session });
}

const MESSAGES_OF_TURN = "select id, given from messages where turn = :turn and state = 'taken' order by seq";

/** The messages of a turn without the dropped, oldest first. */
export function listTurnMessages(connection: Connection, turn: number): { id: string; given: 0 | 1 }[] {
  return listRows(connection, MESSAGES_OF_TURN, { turn });
}

const TAKE_MESSAGE = "update messages set state = 'taken', turn = :turn where seq = :message";

export function takeMessage(connection: Connection, message: number, turn: number): void {
  runStatement(connection, TAKE_MESSAGE, { message, turn });
}

const GIVE_MESSAGE = 'update messages set given = 1 where id = :id and turn = :turn';

/** Marks a message whose first byte is written to the agent next. */
export function markGiven(connection: Connection, id: string, turn: number): void {
  runStatement(connection, GIVE_MESSAGE, { id, turn });
}

// `/stop` has dropped the messages of a running turn: they stay dropped. A closed session has no more turns.
const PUT_BACK_MESSAGE = `
  update messages set state = 'waiting', turn = null, given = 0
  where id = :id and state = 'taken' and (select closed from sessions where seq = messages.session) = 0
  returning session`;

/** Returns a taken message to its old place in the queue. Returns its session; undefined when the message is not returned. */
export function returnMessage(connection: Connection, id: string): number | undefined {
  return findRow<{ session: number }>(connection, PUT_BACK_MESSAGE, { id })?.session;
}

const PUT_BACK_MESSAGES =
  "update messages set state = 'waiting', turn = null, given = 0 where turn = :turn and state = 'taken'";

/** Returns the messages of a turn to the queue, without the dropped. */
export function returnTurnMessages(connection: Connection, turn: number): void {
  runStatement(connection, PUT_BACK_MESSAGES, { turn });
}

// The first message of a turn is answered by its `end`, also when the agent has not begun.
const DROP_UNTAKEN = `
  update messages set state = 'dropped', turn = null
  where state = 'taken' and turn = :turn and seq is not (select message from turns where seq = :turn)
    and id not in (select value from json_each(:takenIn))
  returning id, seq`;

// `returnMessage` returns only `taken` messages to the queue.
const ABANDON_MESSAGES = "update messages set state = 'dropped' where state = 'taken' and turn = :turn";

/** A message that was dropped before an agent took it in. */
export interface DroppedMessage {
  readonly id: string;
  readonly seq: number;
}

/** Drops the messages of a turn. Returns the steered messages that are not in `takenIn`; an empty list without `takenIn`. */
export function abandonMessages(
  connection: Connection,
  turn: number,
  takenIn: readonly string[] | undefined,
): DroppedMessage[] {
  const untaken =
    takenIn === undefined
      ? []
      : listRows<DroppedMessage>(connection, DROP_UNTAKEN, { turn, takenIn: JSON.stringify(takenIn) });
  runStatement(connection, ABANDON_MESSAGES, { turn });
  return untaken;
}
