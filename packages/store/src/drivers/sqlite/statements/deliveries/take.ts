import { type Connection, rows } from '../../connection.ts';
import { DELIVERY_COLUMNS, type DeliveryRow } from '../../records/delivery.ts';

/**
 * First the head of each place, then which of the heads are due: a head that is being sent, or has to wait, keeps
 * everything behind it from being looked at. What is past its time stands in nobody's way. SQLite takes the columns
 * beside a lone min() from the row that has it. The partial index has all the columns of the inner query, in its order.
 */
const SQL = `
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

/** Marks the deliveries that are due as being sent by this node. */
export function takeDeliveries(
  connection: Connection,
  taker: {
    readonly channel: string;
    readonly node: string;
    readonly limit: number;
    readonly now: number;
  },
): DeliveryRow[] {
  return rows(connection, SQL, taker);
}
