import { StoreError } from '../../../contract/errors.ts';
import type { Decision, DeliveryOutcome, Outbox, Reported } from '../../../contract/outbox.ts';
import type { Delivery } from '../../../contract/records.ts';
import { type Connection, findRow, listRows, runStatement, type Transaction } from '../connection.ts';
import type { Context } from '../context.ts';
import { lockSession } from '../sessions/session-rows.ts';
import { addDeliveries, DELIVERY_COLUMNS, type DeliveryRow, toDelivery } from './delivery-rows.ts';

function sortDeliveries(rows: readonly DeliveryRow[]): Delivery[] {
  return [...rows].sort((a, b) => a.seq - b.seq).map(toDelivery);
}

/**
 * `oldest` is the oldest open delivery of each place; expired ones do not count as open. Two nodes never get the same row:
 * the second one skips it, or finds that it is no longer `pending`.
 */
const TAKE_DELIVERIES = `
  with oldest as materialized (
    select distinct on (place_key) seq, state, next_at from deliveries
    where channel = :channel and state in ('pending', 'sending') and (state = 'sending' or expires_at > :now::bigint)
    order by place_key, seq),
  due as materialized (
    select seq from deliveries
    where state = 'pending'
      and seq in (select seq from oldest where state = 'pending' and next_at <= :now::bigint)
    order by seq
    limit :limit
    for no key update skip locked)
  update deliveries
  set state = 'sending', node = :node, attempts = attempts + 1
  from due where deliveries.seq = due.seq
  returning ${DELIVERY_COLUMNS}`;

const DOUBT_DELIVERIES = `
  update deliveries set state = 'unknown', node = null, problem = :problem
  where state = 'sending' and node = :node
  returning ${DELIVERY_COLUMNS}`;

const IN_DOUBT = 'The gateway stopped while this was being sent: it may have arrived.';

const EXPIRE_DELIVERIES =
  "update deliveries set state = 'expired' where state = 'pending' and expires_at <= :now";

export function createOutbox({ read, write }: Context): Outbox {
  return {
    add: (sessionId, delivery) =>
      write(sessionId, async (transaction) => {
        const { seq: session } = await lockSession(transaction, sessionId);
        const [id = ''] = await addDeliveries(transaction, { session, turn: null }, [delivery]);
        return toDelivery(await requireDelivery(transaction, id));
      }),
    take: (taker) =>
      write(`outbox ${taker.channel}`, async (transaction) =>
        sortDeliveries(await listRows(transaction, TAKE_DELIVERIES, { ...taker })),
      ),
    settle: (id, outcome) => write(id, (transaction) => storeOutcome(transaction, id, outcome)),
    report: (id, outcome) => write(id, (transaction) => storeReport(transaction, id, outcome)),
    recover: (node) =>
      write(`outbox of ${node}`, async (transaction) =>
        sortDeliveries(await listRows(transaction, DOUBT_DELIVERIES, { node, problem: IN_DOUBT })),
      ),
    expire: () => write('expiry', (transaction) => runStatement(transaction, EXPIRE_DELIVERIES)),
    decide: (id, decision) => write(id, (transaction) => storeDecision(transaction, id, decision)),
    get: (id) =>
      read(async (connection) => {
        const found = await findDelivery(connection, id);
        return found === undefined ? undefined : toDelivery(found);
      }),
    list: (options) =>
      read(async (connection) => {
        if (options.before !== undefined) await requireDelivery(connection, options.before);
        return (await listDeliveries(connection, options)).map(toDelivery);
      }),
  };
}

// Also from `unknown`: the platform can report late. Every other state is final or not yet sent.
const SETTLE_DELIVERY = `
  update deliveries
  set state = :state, node = null, next_at = :next, platform_id = :platformId, problem = :problem
  where id = :id and state in ('sending', 'unknown')`;

async function storeOutcome(transaction: Transaction, id: string, outcome: DeliveryOutcome): Promise<void> {
  const delivery = await requireDelivery(transaction, id);
  await runStatement(transaction, SETTLE_DELIVERY, {
    id,
    state: outcome.state,
    next: outcome.state === 'pending' ? transaction.now + outcome.afterMs : delivery.next_at,
    platformId: outcome.state === 'sent' ? (outcome.platformId ?? null) : delivery.platform_id,
    problem: outcome.state === 'sent' ? null : outcome.problem,
  });
}

// A delivery that has failed stays failed: platforms repeat their reports, and not in order.
const REPORT_DELIVERY = `
  update deliveries
  set state = :state, node = null, platform_id = coalesce(:platformId, platform_id), problem = :problem
  where id = :id and state in ('sending', 'sent', 'unknown') and state <> :state`;

async function storeReport(transaction: Transaction, id: string, outcome: Reported): Promise<boolean> {
  const changed = await runStatement(transaction, REPORT_DELIVERY, {
    id,
    state: outcome.state,
    platformId: outcome.state === 'sent' ? (outcome.platformId ?? null) : null,
    problem: outcome.state === 'sent' ? null : outcome.problem,
  });
  return changed > 0;
}

const VERDICTS = { sent: 'sent', again: 'pending', drop: 'failed' } as const;

// Of two simultaneous decisions, the second finds no `unknown` row.
const DECIDE_DELIVERY = `
  update deliveries
  set state = :state, next_at = :next, expires_at = :expires, problem = :problem, settled_by = :by, settled_at = :now
  where id = :id and state = 'unknown'
  returning ${DELIVERY_COLUMNS}`;

async function storeDecision(transaction: Transaction, id: string, decision: Decision): Promise<Delivery> {
  const delivery = await requireDelivery(transaction, id);
  const { now } = transaction;
  const again = decision.verdict === 'again';
  const decided = await findRow<DeliveryRow>(transaction, DECIDE_DELIVERY, {
    id,
    state: VERDICTS[decision.verdict],
    next: again ? now : delivery.next_at,
    expires: again ? now + decision.expiresInMs : delivery.expires_at,
    problem: decision.verdict === 'sent' ? null : delivery.problem,
    by: decision.by,
  });
  if (decided !== undefined) return toDelivery(decided);
  const { state } = await requireDelivery(transaction, id);
  throw new StoreError('conflict', `The delivery ${id} is ${state}, and not unknown.`);
}

/** Throws `not-found` for an unknown id. */
async function requireDelivery(connection: Connection, id: string): Promise<DeliveryRow> {
  const delivery = await findDelivery(connection, id);
  if (delivery === undefined) throw new StoreError('not-found', `There is no delivery ${id}.`);
  return delivery;
}

const FIND_DELIVERY = `select ${DELIVERY_COLUMNS} from deliveries where id = :id`;

function findDelivery(connection: Connection, id: string): Promise<DeliveryRow | undefined> {
  return findRow(connection, FIND_DELIVERY, { id });
}

const CONDITIONS = {
  state: 'state = :state',
  sessionId: 'session = (select seq from sessions where id = :sessionId)',
  before: 'seq < (select seq from deliveries where id = :before)',
} as const;

interface DeliveryListing {
  readonly state?: string;
  readonly sessionId?: string;
  readonly before?: string;
  readonly limit: number;
}

/** Newest first. Builds `where` from the given conditions alone, so that each combination can use its index. */
function listDeliveries(connection: Connection, { limit, ...only }: DeliveryListing): Promise<DeliveryRow[]> {
  const asked = Object.entries(only).filter(([, value]) => value !== undefined);
  const conditions = asked.map(([name]) => CONDITIONS[name as keyof typeof CONDITIONS]);
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
  const sql = `select ${DELIVERY_COLUMNS} from deliveries ${where} order by seq desc limit :limit`;
  return listRows(connection, sql, { ...Object.fromEntries(asked), limit });
}
