import { StoreError } from '../../../contract/errors.ts';
import type { Session } from '../../../contract/records.ts';
import { type Connection, findRow, requireRow, runStatement } from '../connection.ts';

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
  readonly running: number;
  readonly closed: number;
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
    running: row.running === 1,
    node: row.node ?? undefined,
    closed: row.closed === 1,
  };
}

const FIND_SESSION = 'select * from sessions where id = :id';

export function findSession(connection: Connection, id: string): SessionRow | undefined {
  return findRow(connection, FIND_SESSION, { id });
}

/** Throws `not-found` for an unknown id. */
export function requireSession(connection: Connection, id: string): SessionRow {
  const session = findSession(connection, id);
  if (session === undefined) throw sessionNotFound(id);
  return session;
}

export function refuseClosed({ id, closed }: SessionRow): void {
  if (closed === 1) throw new StoreError('closed-session', `The session ${id} was closed.`);
}

export function requireFound(id: string, found: boolean): void {
  if (!found) throw sessionNotFound(id);
}

function sessionNotFound(id: string): StoreError {
  return new StoreError('not-found', `There is no session ${id}.`);
}

// The update has no effect: it makes `returning` give the existing row, where `do nothing` gives none.
const BEGIN_SESSION = `
  insert into sessions (id, channel, place, agent, created_at, updated_at)
  values (:id, :channel, :place, :agent, :now, :now)
  on conflict (channel, place) where closed = 0 do update set place = excluded.place
  returning *`;

/** Begins a session, or returns the live session of the place: then its `id` is another. */
export function beginSession(
  connection: Connection,
  session: {
    readonly id: string;
    readonly channel: string;
    readonly place: string;
    readonly agent: string;
    readonly now: number;
  },
): SessionRow {
  return requireRow(connection, BEGIN_SESSION, session);
}

// On the right side, `agent` still has its old value.
const CHOOSE_AGENT = `
  update sessions
  set agent_session = iif(agent = :agent, agent_session, null), chosen = iif(agent = :agent, chosen, null),
    agent = :agent, updated_at = :now
  where id = :id`;

const REMOVE_OFFER = `
  delete from offers where session = (select seq from sessions where id = :id and agent <> :agent)`;

/** Clears `agent_session` and the options when the agent changes. False for an unknown id. */
export function chooseAgent(
  connection: Connection,
  session: { readonly id: string; readonly agent: string; readonly now: number },
): boolean {
  runStatement(connection, REMOVE_OFFER, { id: session.id, agent: session.agent });
  return runStatement(connection, CHOOSE_AGENT, session).changes > 0;
}

// Keeps `updated_at`: the session does not move in `Sessions.list`.
const REMEMBER_AGENT_SESSION = 'update sessions set agent_session = :agentSession where id = :id';

/** False for an unknown id. */
export function rememberAgentSession(connection: Connection, id: string, agentSession: string): boolean {
  return runStatement(connection, REMEMBER_AGENT_SESSION, { id, agentSession }).changes > 0;
}

const SET_LAST_EVENT = 'update sessions set last_event = :number where seq = :session';

export function setLastEvent(connection: Connection, session: number, number: number): void {
  runStatement(connection, SET_LAST_EVENT, { session, number });
}
