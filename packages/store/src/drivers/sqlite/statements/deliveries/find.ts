import { type Connection, row } from '../../connection.ts';
import { DELIVERY_COLUMNS, type DeliveryRow } from '../../records/delivery.ts';

const SQL = `select ${DELIVERY_COLUMNS} from deliveries where id = :id`;

/** The delivery with this id. */
export function findDelivery(connection: Connection, id: string): DeliveryRow | undefined {
  return row(connection, SQL, { id });
}
