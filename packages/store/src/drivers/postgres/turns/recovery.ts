import type { End } from '@plugboard/protocol';
import type { StoredTurn } from '../../../contract/records.ts';
import type { Turns } from '../../../contract/turns.ts';
import { type Connection, listRows, requireRow, runStatement, type Transaction } from '../connection.ts';
import { listVoidAsks } from '../events/asks.ts';
import { hasTurnEvents, readLastMessage } from '../events/event-log.ts';
import { addDeliveries } from '../messages/delivery-rows.ts';
import { countWaiting } from '../messages/session-queue.ts';
import { listTurnMessages, returnMessages } from '../messages/turn-messages.ts';
import { requireSession, type SessionRow, toSession } from '../sessions/session-rows.ts';
import { finishTurn, undoClaim } from './turn-ending.ts';
import { TURN_COLUMNS, type TurnRow, toTurn } from './turn-rows.ts';

// `:node` is null when no node has died. In one order, so that two nodes that recover at once do not wait for each other.
const LOCK_INTERRUPTED = `
  select * from sessions where running and (lease_until <= :now::bigint or node = :node::text)
  order by seq
  for no key update`;

// A session that runs has one running turn, its newest.
const FIND_RUNNING_TURN = `
  select ${TURN_COLUMNS} from turns where session = :session and state = 'running' order by seq desc limit 1`;

const FREE_LEASES = `
  update sessions set node = null, lease_until = null where node = :node::text and not running`;

/** `Turns.recover`. An interrupted turn is no longer running, so a second call does not deliver its notice again. */
export async function recoverTurns(
  transaction: Transaction,
  options: Parameters<Turns['recover']>[0],
): Promise<StoredTurn[]> {
  const due = { node: options.node ?? null };
  await runStatement(transaction, FREE_LEASES, due);
  const sessions = await listRows<SessionRow>(transaction, LOCK_INTERRUPTED, due);
  const ended: StoredTurn[] = [];
  for (const session of sessions) {
    const turn = await requireRow<TurnRow>(transaction, FIND_RUNNING_TURN, { session: session.seq });
    const messages = await listTurnMessages(transaction, turn.seq);
    if (await isUnseen(transaction, session.seq, turn, messages))
      await undoClaim(transaction, session.seq, turn.seq);
    else ended.push(await interruptTurn(transaction, session, turn, messages, options));
  }
  return ended;
}

type TurnMessages = Awaited<ReturnType<typeof listTurnMessages>>;

/** Whether the agent cannot have seen the turn: its first message was not given, and it has no event. */
async function isUnseen(
  connection: Connection,
  session: number,
  { seq: turn, message_id, after_number: after }: TurnRow,
  messages: TurnMessages,
): Promise<boolean> {
  const own = messages.find(({ id }) => id === message_id);
  return own?.given === false && !(await hasTurnEvents(connection, { session, turn, after }));
}

// Interrupted turns with the same first message; 0 without one, or in a closed session. A turn of `claimOwn` has a null
// `message`, which equals no other.
const COUNT_INTERRUPTIONS = `
  select count(*) as interruptions
  from turns join sessions on sessions.seq = turns.session
  where turns.session = :session and turns.state = 'interrupted' and not sessions.closed
    and turns.message = (select message from turns where seq = :turn)`;

const FIND_TURN = `select ${TURN_COLUMNS} from turns where seq = :turn`;

async function interruptTurn(
  transaction: Transaction,
  { id, seq: session, last_event }: SessionRow,
  running: TurnRow,
  messages: TurnMessages,
  options: Parameters<Turns['recover']>[0],
): Promise<StoredTurn> {
  const { seq: turn, after_number: after } = running;
  const end = interruptedEnd(await readLastMessage(transaction, { session, after }));
  const events = await listVoidAsks(transaction, turn);
  const ending = { state: 'interrupted', events, end, deliveries: [] } as const;
  await finishTurn(transaction, { session, turn, last_event }, ending);
  const ended = toTurn(await requireRow<TurnRow>(transaction, FIND_TURN, { turn }));
  const { interruptions } = await requireRow<{ interruptions: number }>(transaction, COUNT_INTERRUPTIONS, {
    session,
    turn,
  });
  const again = interruptions > 0 && options.again?.(ended, interruptions) === true;
  const notice = again ? undefined : options.notice(ended, toSession(await requireSession(transaction, id)));
  if (notice !== undefined) await addDeliveries(transaction, { session, turn }, [notice]);
  await returnUnanswered(transaction, session, running, messages, again);
  return ended;
}

/**
 * Returns messages to the queue that the agent was not given; with `again` also given messages without an answer. Messages
 * that it answered before the end of the turn stay answered.
 */
async function returnUnanswered(
  transaction: Transaction,
  session: number,
  { seq: turn, message_id: message, after_number: after }: TurnRow,
  messages: TurnMessages,
  again: boolean,
): Promise<void> {
  const taken = await listTaken(transaction, { session, turn, after });
  const { current, begun } = readProgress(taken, message);
  const isOpen = (id: string): boolean => !begun.has(id) || current.has(id);
  const waiting = messages.filter(({ id, given }) => !given || (again && isOpen(id)));
  const ids = waiting.map(({ id }) => id);
  await returnMessages(transaction, session, ids);
  if (ids.length > 0) await countWaiting(transaction, session);
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
  for (const { type, inputs = [] } of taken) {
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
  readonly inputs?: readonly string[];
}

// `:after` is the last event before the turn: older events are not read.
const TAKEN_IN = `
  select body from events
  where session = :session and number > :after and turn = :turn and type in ('accepted', 'steered')
  order by number`;

/** The `accepted` and `steered` events of a turn, in order. */
async function listTaken(
  connection: Connection,
  turn: { readonly session: number; readonly turn: number; readonly after: number },
): Promise<TakenIn[]> {
  const found = await listRows<{ body: string }>(connection, TAKEN_IN, turn);
  return found.map(({ body }) => JSON.parse(body) as TakenIn);
}
