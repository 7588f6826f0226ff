import { type Connection, theRow } from '../../connection.ts';
import { DELIVERY_COLUMNS, type DeliveryRow } from '../../records/delivery.ts';

const SQL = `
  insert into deliveries (id, session, turn, channel, place, body, state, next_at, expires_at)
  values (:id, :session, :turn, :channel, :place, :body, 'pending', :now, :expires)
  returning ${DELIVERY_COLUMNS}`;

/** Adds a delivery that is due at once. */
export function addDelivery(
  connection: Connection,
  delivery: {
    readonly id: string;
    readonly session: number;
    readonly turn: number | null;
    readonly channel: string;
    readonly place: string;
    readonly body: string;
    readonly now: number;
    readonly expires: number;
  },
): DeliveryRow {
  return theRow(connection, SQL, delivery);
}
