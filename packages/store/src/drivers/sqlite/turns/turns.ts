import { StoreError } from '../../../contract/errors.ts';
import type { Turns } from '../../../contract/turns.ts';
import { storableText } from '../../../storable.ts';
import { listRows, requireRow } from '../connection.ts';
import type { Context } from '../context.ts';
import { claimOwn, claimSessions, releaseLease, renewLeases, takeLease } from './claims.ts';
import { recoverTurns } from './recovery.ts';
import { recordChanges } from './turn-changes.ts';
import { findTurn, TURN_COLUMNS, type TurnRow, toTurn } from './turn-rows.ts';

// By `seq`, since two turns can begin in one millisecond. Without `:before` the bound is 2^63 - 1.
const LIST_TURNS = `
  select ${TURN_COLUMNS} from turns
  where session = (select seq from sessions where id = :sessionId)
    and seq < coalesce((select seq from turns where id = :before), 9223372036854775807)
  order by seq desc
  limit :limit`;

// One index lookup for each distinct agent: a session has few agents, and can have very many turns.
const AGENTS_OF = `
  with recursive
    this(session) as (select seq from sessions where id = :sessionId),
    had(agent) as (
      select min(turns.agent) from turns, this where turns.session = this.session
      union all
      select (select min(turns.agent) from turns, this where turns.session = this.session and turns.agent > had.agent)
      from had where had.agent is not null)
  select agent from had where agent is not null`;

// The partial indexes hold only waiting messages and running sessions: the cost grows with open work, not with history.
const COUNT_BACKLOG = `
  select
    (select count(*) from messages where state = 'waiting') as waiting,
    (select count(*) from messages where state = 'waiting' and principal = :principal) as own,
    (select count(*) from sessions where running = 1) as running,
    (select min(events.at) from messages join events using (session, number) where state = 'waiting') as oldest`;

interface Backlog {
  readonly waiting: number;
  readonly own: number;
  readonly running: number;
  /** When the oldest waiting message came in. */
  readonly oldest: number | null;
}

export function createTurns(context: Context): Turns {
  const { connection, read, write, now } = context;
  return {
    claim: (holder) => write(() => claimSessions(context, holder)),
    claimOwn: (sessionId, holder) => write(() => claimOwn(context, sessionId, holder)),
    lease: (sessionId, holder) => write(() => takeLease(context, sessionId, holder)),
    renew: (leases, leaseMs) => write(() => renewLeases(context, leases, leaseMs)),
    release: (lease) => write(() => releaseLease(context, lease)),
    record: (claimed, changes) => write(() => recordChanges(context, claimed, changes)),
    recover: (options) => write(() => recoverTurns(context, options)),
    get: (id) =>
      read(() => {
        const found = findTurn(connection, id);
        return found === undefined ? undefined : toTurn(found);
      }),
    list: (sessionId, { limit, before }) =>
      read(() => {
        if (before !== undefined && findTurn(connection, before) === undefined) {
          throw new StoreError('not-found', `There is no turn ${before}.`);
        }
        return listRows<TurnRow>(connection, LIST_TURNS, { sessionId, limit, before: before ?? null }).map(
          toTurn,
        );
      }),
    agents: (sessionId) =>
      read(() => listRows<{ agent: string }>(connection, AGENTS_OF, { sessionId }).map(({ agent }) => agent)),
    backlog: (principal = '') =>
      read(() => {
        const { oldest, ...counts } = requireRow<Backlog>(connection, COUNT_BACKLOG, {
          principal: storableText(principal),
        });
        return { ...counts, oldestMs: oldest === null ? 0 : Math.max(0, now() - oldest) };
      }),
  };
}
