import { type Connection, rows } from '../../connection.ts';
import { DELIVERY_COLUMNS, type DeliveryRow } from '../../records/delivery.ts';

const SQL = `
  update deliveries set state = 'unknown', node = null, problem = :problem
  where state = 'sending' and node = :node
  returning ${DELIVERY_COLUMNS}`;

/** Marks what a node was sending as unknown. */
export function doubtDeliveries(connection: Connection, node: string, problem: string): DeliveryRow[] {
  return rows(connection, SQL, { node, problem });
}
