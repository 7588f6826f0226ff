import type { JsonValue } from '@plugboard/protocol';
import type { NewDelivery } from '../../../contract/outbox.ts';
import type { Delivery, DeliveryState } from '../../../contract/records.ts';
import { storableJson, storableText } from '../../../storable.ts';
import { runStatement, type Transaction } from '../connection.ts';
import { keyOf, newId } from '../context.ts';

/** A row of `deliveries`, with the public ids of its session and turn. */
export interface DeliveryRow {
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
export const DELIVERY_COLUMNS = `deliveries.*,
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

/** Columns of new deliveries as arrays, for `unnest`. */
export function toDeliveryColumns(deliveries: readonly NewDelivery[], now: number) {
  return {
    ids: deliveries.map(() => newId(now)),
    channels: deliveries.map(({ channel }) => storableText(channel)),
    places: deliveries.map(({ place }) => storableText(place)),
    keys: deliveries.map(({ place }) => keyOf(place)),
    contents: deliveries.map(({ body }) => storableJson(body)),
    expiries: deliveries.map(({ expiresInMs }) => expiresInMs),
  };
}

/** SQL: the arrays of `toDeliveryColumns` as rows. */
export const GIVEN_DELIVERIES = `
  unnest(:ids::text[], :channels::text[], :places::text[], :keys::text[], :contents::text[], :expiries::bigint[])
    with ordinality as given (id, channel, place, key, content, expiry, rank)`;

const ADD_DELIVERIES = `
  insert into deliveries (id, session, turn, channel, place, place_key, body, state, next_at, expires_at)
  select id, :session::bigint, :turn::bigint, channel, place, key, content, 'pending', :now::bigint,
    :now::bigint + expiry
  from ${GIVEN_DELIVERIES}
  order by rank`;

/** Adds deliveries inside the transaction of the caller. Resolves to their ids. */
export async function addDeliveries(
  transaction: Transaction,
  from: { readonly session: number; readonly turn: number | null },
  deliveries: readonly NewDelivery[],
): Promise<readonly string[]> {
  if (deliveries.length === 0) return [];
  const columns = toDeliveryColumns(deliveries, transaction.now);
  await runStatement(transaction, ADD_DELIVERIES, { ...from, ...columns });
  return columns.ids;
}
