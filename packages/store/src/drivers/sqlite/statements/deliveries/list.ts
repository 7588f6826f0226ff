import { type Connection, rows } from '../../connection.ts';
import { DELIVERY_COLUMNS, type DeliveryRow } from '../../records/delivery.ts';

const CONDITIONS = {
  state: 'state = :state',
  sessionId: 'session = (select seq from sessions where id = :sessionId)',
  before: 'seq < (select seq from deliveries where id = :before)',
} as const;

/** Which deliveries to list. */
interface DeliveryListing {
  readonly state?: string;
  readonly sessionId?: string;
  readonly before?: string;
  readonly limit: number;
}

/** Deliveries, newest first. A condition that is not asked for is left out, so that the others have their index. */
export function listDeliveries(connection: Connection, { limit, ...only }: DeliveryListing): DeliveryRow[] {
  const asked = Object.entries(only).filter(([, value]) => value !== undefined);
  const conditions = asked.map(([name]) => CONDITIONS[name as keyof typeof CONDITIONS]);
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
  const sql = `select ${DELIVERY_COLUMNS} from deliveries ${where} order by seq desc limit :limit`;
  return rows(connection, sql, { ...Object.fromEntries(asked), limit });
}
