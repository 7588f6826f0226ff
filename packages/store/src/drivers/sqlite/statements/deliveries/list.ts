import { type Connection, rows } from '../../connection.ts';
import { DELIVERY_COLUMNS, type DeliveryRow } from '../../records/delivery.ts';

const STATE = 'state = :state';
const SESSION = 'session = (select seq from sessions where id = :sessionId)';

/** Deliveries, newest first. A condition that is not asked for is left out, so that the other has its index. */
export function listDeliveries(
  connection: Connection,
  options: { readonly state?: string; readonly sessionId?: string; readonly limit: number },
): DeliveryRow[] {
  const conditions = [
    ...(options.state === undefined ? [] : [STATE]),
    ...(options.sessionId === undefined ? [] : [SESSION]),
  ];
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
  const sql = `select ${DELIVERY_COLUMNS} from deliveries ${where} order by seq desc limit :limit`;
  return rows(connection, sql, { ...options });
}
