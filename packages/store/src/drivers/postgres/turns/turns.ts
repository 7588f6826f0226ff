import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '../../../contract/errors.ts';
import type { Turns } from '../../../contract/turns.ts';
import { listRows, NOW, requireRow } from '../connection.ts';
import type { Context } from '../context.ts';
import { claimOwn, claimSessions, releaseLease, renewLeases, takeLease } from './claims.ts';
import { isPlain, recordPlain } from './plain-record.ts';
import { recoverTurns } from './recovery.ts';
import { recordChanges } from './turn-changes.ts';
import { findTurn, TURN_COLUMNS, type TurnRow, toTurn } from './turn-rows.ts';

// By `seq`, since two turns can begin in one millisecond.
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
      select (select min(agent) from turns where session = this.session) from this
      union all
      select (select min(agent) from turns, this where turns.session = this.session and turns.agent > had.agent)
      from had where had.agent is not null)
  select agent from had where agent is not null`;

// The partial indexes hold only waiting messages and running sessions: the cost grows with open work, not with history.
const COUNT_BACKLOG = `
  select
    (select count(*) from messages where state = 'waiting') as waiting,
    (select count(*) from messages where state = 'waiting' and principal = :principal) as own,
    (select count(*) from sessions where running) as running,
    coalesce(greatest(0, ${NOW} -
      (select min(events.at) from messages join events using (session, number) where state = 'waiting')), 0) as "oldestMs"`;

type Backlog = Awaited<ReturnType<Turns['backlog']>>;

/** An admission that waits for a lock must not keep `claim` from other sessions. */
const ARRIVAL_MS = 250;

/** Waits for the admissions that were called before a claim. */
async function untilArrived(arrivals: ReadonlySet<Promise<unknown>>): Promise<void> {
  if (arrivals.size === 0) return;
  const over = new AbortController();
  const late = sleep(ARRIVAL_MS, undefined, { signal: over.signal }).catch(() => {});
  await Promise.race([Promise.allSettled(arrivals), late]);
  over.abort();
}

export function createTurns(context: Context): Turns {
  const { read, write, enter, arrivals } = context;
  return {
    async claim(holder) {
      await untilArrived(arrivals);
      return write(`claims of ${holder.node}`, (transaction) => claimSessions(transaction, holder));
    },
    claimOwn: (sessionId, holder) =>
      write(sessionId, (transaction) => claimOwn(transaction, sessionId, holder)),
    lease: (sessionId, holder) =>
      write(sessionId, (transaction) => takeLease(transaction, sessionId, holder)),
    renew: (leases, leaseMs) => write('leases', (transaction) => renewLeases(transaction, leases, leaseMs)),
    release: (lease) => write(lease.session.id, (transaction) => releaseLease(transaction, lease)),
    record: (claimed, changes) =>
      isPlain(changes)
        ? enter(claimed.session.id, () => recordPlain(context, claimed, changes))
        : write(claimed.session.id, (transaction) => recordChanges(transaction, claimed, changes)),
    recover: (options) => write('recovery', (transaction) => recoverTurns(transaction, options)),
    get: (id) =>
      read(async (connection) => {
        const found = await findTurn(connection, id);
        return found === undefined ? undefined : toTurn(found);
      }),
    list: (sessionId, { limit, before }) =>
      read(async (connection) => {
        if (before !== undefined && (await findTurn(connection, before)) === undefined) {
          throw new StoreError('not-found', `There is no turn ${before}.`);
        }
        const page = { sessionId, limit, before: before ?? null };
        return (await listRows<TurnRow>(connection, LIST_TURNS, page)).map(toTurn);
      }),
    agents: (sessionId) =>
      read(async (connection) =>
        (await listRows<{ agent: string }>(connection, AGENTS_OF, { sessionId })).map(({ agent }) => agent),
      ),
    backlog: (principal = '') =>
      read((connection) => requireRow<Backlog>(connection, COUNT_BACKLOG, { principal })),
  };
}
