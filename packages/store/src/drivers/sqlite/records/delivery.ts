import type { JsonValue } from '@plugboard/protocol';
import type { Delivery, DeliveryState } from '../../../contract/records.ts';

/** A row of `deliveries`, with the ids of what it belongs to. */
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

/** What to select from `deliveries`, or return from a change of it, to get a DeliveryRow. */
export const DELIVERY_COLUMNS = `*,
  (select id from sessions where seq = deliveries.session) as session_id,
  (select id from turns where seq = deliveries.turn) as turn_id`;

/** A delivery as the contract shows it. */
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
    settled: settlement(row),
  };
}

function settlement({ settled_by: by, settled_at: at }: DeliveryRow): Delivery['settled'] {
  return by === null || at === null ? undefined : { by, at };
}

/** Rows in the order in which they were added: SQLite gives what a change returns in no order. */
export function inOrder(rows: readonly DeliveryRow[]): Delivery[] {
  return [...rows].sort((a, b) => a.seq - b.seq).map(toDelivery);
}
