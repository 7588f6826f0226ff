import type { End } from '@plugboard/protocol';
import type { StoredTurn } from '../../../contract/records.ts';
import type { Turns } from '../../../contract/turns.ts';
import { type Connection, listRows, requireRow, runStatement } from '../connection.ts';
import type { Context } from '../context.ts';
import { listVoidAsks } from '../events/asks.ts';
import { hasTurnEvents, readLastMessage } from '../events/event-log.ts';
import { addDelivery } from '../messages/outbox.ts';
import { countWaiting } from '../messages/session-queue.ts';
import { listTurnMessages, returnMessage } from '../messages/turn-messages.ts';
import { requireSession, type SessionRow, toSession } from '../sessions/session-rows.ts';
import { finishTurn, undoClaim } from './turn-ending.ts';
import { requireTurn, TURN_COLUMNS, type TurnRow, toTurn } from './turn-rows.ts';

// `order by lease_until` makes SQLite use the partial index `sessions_running` instead of the table. `:node` is null when no
// node has died.
const INTERRUPTED_SESSIONS = `
  select * from sessions where running = 1 and (lease_until <= :now or node = :node) order by lease_until`;

// A session with `running = 1` has one running turn, its newest.
const FIND_RUNNING_TURN = `
  select ${TURN_COLUMNS} from turns where session = :session and state = 'running' order by seq desc limit 1`;

const FREE_LEASES = `
  update sessions set node = null, lease_until = null where node is not null and node = :node and running = 0`;

/** `Turns.recover`. An interrupted turn is no longer running, so a second call does not deliver its notice again. */
export function recoverTurns(context: Context, options: Parameters<Turns['recover']>[0]): StoredTurn[] {
  const { connection, now } = context;
  const due = { now: now(), node: options.node ?? null };
  runStatement(connection, FREE_LEASES, { node: due.node });
  const sessions = listRows<SessionRow>(connection, INTERRUPTED_SESSIONS, due);
  return sessions.flatMap((session) => {
    const turn = requireRow<TurnRow>(connection, FIND_RUNNING_TURN, { session: session.seq });
    const messages = listTurnMessages(connection, turn.seq);
    return isUnseen(connection, session.seq, turn, messages)
      ? undoClaim(context, session.seq, turn.seq)
      : [interruptTurn(context, session, turn, messages, options)];
  });
}

type TurnMessages = ReturnType<typeof listTurnMessages>;

/** Whether the agent cannot have seen the turn: its first message was not given, and it has no event. */
function isUnseen(
  connection: Connection,
  session: number,
  { seq: turn, message_id, after_number: after }: TurnRow,
  messages: TurnMessages,
): boolean {
  const own = messages.find(({ id }) => id === message_id);
  return own?.given === 0 && !hasTurnEvents(connection, { session, turn, after });
}

// Interrupted turns with the same first message; 0 without one, or in a closed session. Reads all turns of the session by its
// index. A turn of `claimOwn` has a null `message`, which equals no other.
const COUNT_INTERRUPTIONS = `
  select count(*) as interruptions
  from turns join sessions on sessions.seq = turns.session
  where turns.session = :session and turns.state = 'interrupted' and sessions.closed = 0
    and turns.message = (select message from turns where seq = :turn)`;

function interruptTurn(
  context: Context,
  { id, seq: session, last_event }: SessionRow,
  running: TurnRow,
  messages: TurnMessages,
  options: Parameters<Turns['recover']>[0],
): StoredTurn {
  const { connection } = context;
  const { id: turnId, seq: turn, after_number: after } = running;
  const end = interruptedEnd(readLastMessage(connection, { session, after }));
  const events = listVoidAsks(connection, turn);
  const ending = { state: 'interrupted', events, end, deliveries: [] } as const;
  finishTurn(context, { session, turn, last_event }, ending);
  const ended = toTurn(requireTurn(connection, turnId));
  const { interruptions } = requireRow<{ interruptions: number }>(connection, COUNT_INTERRUPTIONS, {
    session,
    turn,
  });
  const again = interruptions > 0 && options.again?.(ended, interruptions) === true;
  const notice = again ? undefined : options.notice(ended, toSession(requireSession(connection, id)));
  if (notice !== undefined) addDelivery(context, { session, turn }, notice);
  returnUnanswered(connection, session, running, messages, again);
  return ended;
}

/**
 * Returns messages to the queue that the agent was not given; with `again` also given messages without an answer. Messages
 * that it answered before the end of the turn stay answered.
 */
function returnUnanswered(
  connection: Connection,
  session: number,
  { seq: turn, message_id: message, after_number: after }: TurnRow,
  messages: TurnMessages,
  again: boolean,
): void {
  const { current, begun } = readProgress(listTaken(connection, { session, turn, after }), message);
  const isOpen = (id: string): boolean => !begun.has(id) || current.has(id);
  const waiting = messages.filter(({ id, given }) => given === 0 || (again && isOpen(id)));
  for (const { id } of waiting) returnMessage(connection, id);
  if (waiting.length > 0) countWaiting(connection, session);
}

/** An `end` on behalf of the agent. Its text is the last message of the turn. */
function interruptedEnd(text: string): End {
  const message = 'The turn was interrupted: the gateway stopped while it was running.';
  return { type: 'end', outcome: 'cancelled', text, error: { message, code: 'interrupted' } };
}

/** Ids of messages by how far the agent got with them. */
interface Progress {
  /** The agent was answering them when the turn ended: unanswered. */
  readonly current: ReadonlySet<string>;
  /** The agent has begun to answer them at any time; those not in `current` are answered. */
  readonly begun: ReadonlySet<string>;
}

/** `first` is the turn's first message. It counts as begun, since some agents never send `accepted`. */
function readProgress(taken: readonly TakenIn[], first: string | null): Progress {
  const begun = new Set<string>(first === null ? [] : [first]);
  let current = new Set(begun);
  for (const { type, inputs } of taken) {
    if (type === 'accepted' && inputs.length > 0) current = new Set();
    for (const id of inputs) {
      begun.add(id);
      current.add(id);
    }
  }
  return { current, begun };
}

/** `accepted`: the agent begins to answer `inputs`. `steered`: it adds them to its running answer. */
interface TakenIn {
  readonly type: 'accepted' | 'steered';
  readonly inputs: readonly string[];
}

// `:after` is the last event before the turn: older events are not read.
const TAKEN_IN = `
  select body ->> 'type' as type, body -> 'inputs' as inputs
  from events
  where session = :session and number > :after and turn = :turn and body ->> 'type' in ('accepted', 'steered')
  order by number`;

/** The `accepted` and `steered` events of a turn, in order. */
function listTaken(
  connection: Connection,
  turn: { readonly session: number; readonly turn: number; readonly after: number },
): TakenIn[] {
  const found = listRows<{ type: TakenIn['type']; inputs: string | null }>(connection, TAKEN_IN, turn);
  return found.map(({ type, inputs }) => ({ type, inputs: inputs === null ? [] : JSON.parse(inputs) }));
}
