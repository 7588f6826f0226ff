import { type Connection, row } from '../../connection.ts';
import { DELIVERY_COLUMNS, type DeliveryRow } from '../../records/delivery.ts';

// Of two who decide at once, the second finds another state.
const SQL = `
  update deliveries
  set state = :state, next_at = :next, expires_at = :expires, problem = :problem, settled_by = :by, settled_at = :now
  where id = :id and state = 'unknown'
  returning ${DELIVERY_COLUMNS}`;

/** Notes what a person says of a delivery that is unknown; undefined when it is not. */
export function decideDelivery(
  connection: Connection,
  decision: {
    readonly id: string;
    readonly state: 'sent' | 'pending' | 'failed';
    readonly next: number;
    readonly expires: number;
    readonly problem: string | null;
    readonly by: string;
    readonly now: number;
  },
): DeliveryRow | undefined {
  return row(connection, SQL, decision);
}
