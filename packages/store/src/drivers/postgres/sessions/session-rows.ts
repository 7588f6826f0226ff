import { StoreError } from '../../../contract/errors.ts';
import type { Session } from '../../../contract/records.ts';
import { type Connection, findRow, requireRow, runStatement, type Transaction } from '../connection.ts';
import { keyOf, newId } from '../context.ts';

/** A row of `sessions`. `oldest_waiting` is the `seq` of a message. */
export interface SessionRow {
  readonly seq: number;
  readonly id: string;
  readonly channel: string;
  readonly place: string;
  readonly agent: string;
  readonly title: string;
  readonly agent_session: string | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly last_event: number;
  readonly waiting: number;
  readonly oldest_waiting: number | null;
  readonly running: boolean;
  readonly closed: boolean;
  readonly fence: number;
  readonly node: string | null;
  /** A JSON object. */
  readonly chosen: string | null;
  readonly cost_amount: number;
  readonly cost_currency: string | null;
}

export function toSession(row: SessionRow): Session {
  return {
    id: row.id,
    channel: row.channel,
    place: row.place,
    agent: row.agent,
    title: row.title,
    agentSession: row.agent_session ?? undefined,
    chosen: row.chosen === null ? {} : (JSON.parse(row.chosen) as Session['chosen']),
    cost: row.cost_currency === null ? undefined : { amount: row.cost_amount, currency: row.cost_currency },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    lastEvent: row.last_event,
    waiting: row.waiting,
    running: row.running,
    node: row.node ?? undefined,
    closed: row.closed,
  };
}

const FIND_SESSION = 'select * from sessions where id = :id';

export function findSession(connection: Connection, id: string): Promise<SessionRow | undefined> {
  return findRow(connection, FIND_SESSION, { id });
}

/** Throws `not-found` for an unknown id. */
export async function requireSession(connection: Connection, id: string): Promise<SessionRow> {
  const session = await findSession(connection, id);
  if (session === undefined) throw sessionNotFound(id);
  return session;
}

// `no key`: rows that refer to the session can be added meanwhile.
const LOCK_SESSION = 'select * from sessions where id = :id for no key update';

/**
 * Locks a session until the end of the transaction. Each transaction that changes a session, its messages or its turns
 * begins so: the statements after it see what the transaction before has committed.
 */
export async function lockSession(transaction: Transaction, id: string): Promise<SessionRow> {
  const session = await findRow<SessionRow>(transaction, LOCK_SESSION, { id });
  if (session === undefined) throw sessionNotFound(id);
  return session;
}

export function refuseClosed({ id, closed }: Pick<SessionRow, 'id' | 'closed'>): void {
  if (closed) throw new StoreError('closed-session', `The session ${id} was closed.`);
}

export function requireFound(id: string, found: boolean): void {
  if (!found) throw sessionNotFound(id);
}

function sessionNotFound(id: string): StoreError {
  return new StoreError('not-found', `There is no session ${id}.`);
}

// The update has no effect: it makes `returning` give the existing row, where `do nothing` gives none.
const BEGIN_SESSION = `
  insert into sessions (id, channel, place, place_key, agent, created_at, updated_at)
  values (:id, :channel, :place, :placeKey, :agent, :now, :now)
  on conflict (channel, place_key) where not closed do update set place = excluded.place
  returning *`;

/** Begins a session, or returns the live session of the place: then its `id` is another. */
export async function beginSession(
  transaction: Transaction,
  where: { readonly channel: string; readonly place: string; readonly agent: string },
): Promise<{ session: SessionRow; begun: boolean }> {
  const { channel, place, agent } = where;
  const id = newId(transaction.now);
  const session = await requireRow<SessionRow>(transaction, BEGIN_SESSION, {
    id,
    channel,
    place,
    placeKey: keyOf(place),
    agent,
  });
  return { session, begun: session.id === id };
}

// On the right side, `agent` still has its old value.
const CHOOSE_AGENT = `
  update sessions
  set agent_session = case when agent = :agent then agent_session end,
    chosen = case when agent = :agent then chosen end,
    agent = :agent, updated_at = :now
  where id = :id`;

const REMOVE_OFFER = `
  delete from offers where session = (select seq from sessions where id = :id and agent <> :agent)`;

/** Clears `agent_session` and the options when the agent changes. False for an unknown id. */
export async function chooseAgent(transaction: Transaction, id: string, agent: string): Promise<boolean> {
  await runStatement(transaction, REMOVE_OFFER, { id, agent });
  return (await runStatement(transaction, CHOOSE_AGENT, { id, agent })) > 0;
}

// Keeps `updated_at`: the session does not move in `Sessions.list`.
const REMEMBER_AGENT_SESSION = 'update sessions set agent_session = :agentSession where id = :id';

/** False for an unknown id. */
export async function rememberAgentSession(
  transaction: Transaction,
  id: string,
  agentSession: string,
): Promise<boolean> {
  return (await runStatement(transaction, REMEMBER_AGENT_SESSION, { id, agentSession })) > 0;
}

const SET_LAST_EVENT = 'update sessions set last_event = :number where seq = :session';

export async function setLastEvent(transaction: Transaction, session: number, number: number): Promise<void> {
  await runStatement(transaction, SET_LAST_EVENT, { session, number });
}
