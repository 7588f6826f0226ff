import type { JsonValue } from '@plugboard/protocol';
import { StoreError } from '../../../contract/errors.ts';
import type { Decision, DeliveryOutcome, NewDelivery, Outbox, Reported } from '../../../contract/outbox.ts';
import type { Delivery, DeliveryState } from '../../../contract/records.ts';
import { storableJson, storableText } from '../../../storable.ts';
import { type Connection, findRow, listRows, requireRow, runStatement } from '../connection.ts';
import { type Context, newId } from '../context.ts';
import { requireSession } from '../sessions/session-rows.ts';

/** A row of `deliveries`, with the public ids of its session and turn. */
interface DeliveryRow {
  readonly seq: number;
  readonly id: string;
  readonly session_id: string;
  readonly turn_id: string | null;
  readonly channel: string;
  readonly place: string;
  readonly body: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly next_at: number;
  readonly expires_at: number;
  readonly platform_id: string | null;
  readonly problem: string | null;
  readonly settled_by: string | null;
  readonly settled_at: number | null;
}

/** Columns of a `DeliveryRow`, after `select` or `returning`. */
const DELIVERY_COLUMNS = `*,
  (select id from sessions where seq = deliveries.session) as session_id,
  (select id from turns where seq = deliveries.turn) as turn_id`;

export function toDelivery(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    sessionId: row.session_id,
    turnId: row.turn_id ?? undefined,
    channel: row.channel,
    place: row.place,
    body: JSON.parse(row.body) as JsonValue,
    state: row.state,
    attempts: row.attempts,
    nextAt: row.next_at,
    expiresAt: row.expires_at,
    platformId: row.platform_id ?? undefined,
    problem: row.problem ?? undefined,
    settled: toSettled(row),
  };
}

function toSettled({ settled_by: by, settled_at: at }: DeliveryRow): Delivery['settled'] {
  return by === null || at === null ? undefined : { by, at };
}

/** In the order of `seq`: SQLite does not order the rows of `returning`. */
function sortDeliveries(rows: readonly DeliveryRow[]): Delivery[] {
  return [...rows].sort((a, b) => a.seq - b.seq).map(toDelivery);
}

/**
 * The inner query finds the oldest open delivery of each place, the outer one those that are due. Expired deliveries do not
 * count as open. SQLite takes the bare columns beside a single `min()` from the row with the minimum. The partial index
 * `deliveries_open` covers the inner query, in its order.
 */
const TAKE_DELIVERIES = `
  update deliveries
  set state = 'sending', node = :node, attempts = attempts + 1
  where seq in (
    select seq from (
      select min(seq) as seq, state, next_at from deliveries
      where channel = :channel and state in ('pending', 'sending') and (state = 'sending' or expires_at > :now)
      group by place)
    where state = 'pending' and next_at <= :now
    order by seq
    limit :limit)
  returning ${DELIVERY_COLUMNS}`;

const DOUBT_DELIVERIES = `
  update deliveries set state = 'unknown', node = null, problem = :problem
  where state = 'sending' and node = :node
  returning ${DELIVERY_COLUMNS}`;

const IN_DOUBT = 'The gateway stopped while this was being sent: it may have arrived.';

const EXPIRE_DELIVERIES =
  "update deliveries set state = 'expired' where state = 'pending' and expires_at <= :now";

export function createOutbox(context: Context): Outbox {
  const { connection, read, write, now } = context;
  return {
    add: (sessionId, delivery) =>
      write(() => {
        const session = requireSession(connection, sessionId).seq;
        return toDelivery(addDelivery(context, { session, turn: null }, delivery));
      }),
    take: (taker) =>
      write(() =>
        sortDeliveries(
          listRows(connection, TAKE_DELIVERIES, {
            ...taker,
            channel: storableText(taker.channel),
            now: now(),
          }),
        ),
      ),
    settle: (id, outcome) => write(() => storeOutcome(context, id, outcome)),
    report: (id, outcome) => write(() => storeReport(connection, id, outcome)),
    recover: (node) =>
      write(() => sortDeliveries(listRows(connection, DOUBT_DELIVERIES, { node, problem: IN_DOUBT }))),
    expire: () => write(() => runStatement(connection, EXPIRE_DELIVERIES, { now: now() }).changes),
    decide: (id, decision) => write(() => storeDecision(context, id, decision)),
    get: (id) =>
      read(() => {
        const found = findDelivery(connection, id);
        return found === undefined ? undefined : toDelivery(found);
      }),
    list: (options) =>
      read(() => {
        if (options.before !== undefined) requireDelivery(connection, options.before);
        return listDeliveries(connection, options).map(toDelivery);
      }),
  };
}

const ADD_DELIVERY = `
  insert into deliveries (id, session, turn, channel, place, body, state, next_at, expires_at)
  values (:id, :session, :turn, :channel, :place, :body, 'pending', :now, :expires)
  returning ${DELIVERY_COLUMNS}`;

/** Adds a delivery inside the transaction of the caller. */
export function addDelivery(
  { connection, now }: Context,
  from: { readonly session: number; readonly turn: number | null },
  delivery: NewDelivery,
): DeliveryRow {
  const at = now();
  return requireRow(connection, ADD_DELIVERY, {
    ...from,
    id: newId(at),
    channel: storableText(delivery.channel),
    place: storableText(delivery.place),
    body: storableJson(delivery.body),
    now: at,
    expires: at + delivery.expiresInMs,
  });
}

// Also from `unknown`: the platform can report late. Every other state is final or not yet sent.
const SETTLE_DELIVERY = `
  update deliveries
  set state = :state, node = null, next_at = :next, platform_id = :platformId, problem = :problem
  where id = :id and state in ('sending', 'unknown')`;

function storeOutcome({ connection, now }: Context, id: string, outcome: DeliveryOutcome): void {
  const delivery = requireDelivery(connection, id);
  runStatement(connection, SETTLE_DELIVERY, {
    id,
    state: outcome.state,
    next: outcome.state === 'pending' ? now() + outcome.afterMs : delivery.next_at,
    platformId: outcome.state === 'sent' ? toStorableText(outcome.platformId) : delivery.platform_id,
    problem: outcome.state === 'sent' ? null : storableText(outcome.problem),
  });
}

// A delivery that has failed stays failed: platforms repeat their reports, and not in order.
const REPORT_DELIVERY = `
  update deliveries
  set state = :state, node = null, platform_id = coalesce(:platformId, platform_id), problem = :problem
  where id = :id and state in ('sending', 'sent', 'unknown') and state <> :state`;

function storeReport(connection: Connection, id: string, outcome: Reported): boolean {
  const { changes } = runStatement(connection, REPORT_DELIVERY, {
    id,
    state: outcome.state,
    platformId: outcome.state === 'sent' ? toStorableText(outcome.platformId) : null,
    problem: outcome.state === 'sent' ? null : storableText(outcome.problem),
  });
  return changes > 0;
}

const VERDICTS = { sent: 'sent', again: 'pending', drop: 'failed' } as const;

// Of two simultaneous decisions, the second finds no `unknown` row.
const DECIDE_DELIVERY = `
  update deliveries
  set state = :state, next_at = :next, expires_at = :expires, problem = :problem, settled_by = :by, settled_at = :now
  where id = :id and state = 'unknown'
  returning ${DELIVERY_COLUMNS}`;

function storeDecision({ connection, now }: Context, id: string, decision: Decision): Delivery {
  const delivery = requireDelivery(connection, id);
  const at = now();
  const again = decision.verdict === 'again';
  const decided = findRow<DeliveryRow>(connection, DECIDE_DELIVERY, {
    id,
    state: VERDICTS[decision.verdict],
    next: again ? at : delivery.next_at,
    expires: again ? at + decision.expiresInMs : delivery.expires_at,
    problem: decision.verdict === 'sent' ? null : delivery.problem,
    by: storableText(decision.by),
    now: at,
  });
  if (decided !== undefined) return toDelivery(decided);
  throw new StoreError('conflict', `The delivery ${id} is ${delivery.state}, and not unknown.`);
}

/** Throws `not-found` for an unknown id. */
function requireDelivery(connection: Connection, id: string): DeliveryRow {
  const delivery = findDelivery(connection, id);
  if (delivery === undefined) throw new StoreError('not-found', `There is no delivery ${id}.`);
  return delivery;
}

function toStorableText(text: string | undefined): string | null {
  return text === undefined ? null : storableText(text);
}

const FIND_DELIVERY = `select ${DELIVERY_COLUMNS} from deliveries where id = :id`;

function findDelivery(connection: Connection, id: string): DeliveryRow | undefined {
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
export function listDeliveries(connection: Connection, { limit, ...only }: DeliveryListing): DeliveryRow[] {
  const asked = Object.entries(only).filter(([, value]) => value !== undefined);
  const conditions = asked.map(([name]) => CONDITIONS[name as keyof typeof CONDITIONS]);
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
  const sql = `select ${DELIVERY_COLUMNS} from deliveries ${where} order by seq desc limit :limit`;
  return listRows(connection, sql, { ...Object.fromEntries(asked), limit });
}
