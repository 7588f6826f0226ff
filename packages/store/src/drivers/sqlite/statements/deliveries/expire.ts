import { type Connection, run } from '../../connection.ts';

const SQL = "update deliveries set state = 'expired' where state = 'pending' and expires_at <= :now";

/** Marks what is past its time; returns how many there were. */
export function expireDeliveries(connection: Connection, now: number): number {
  return run(connection, SQL, { now }).changes;
}
