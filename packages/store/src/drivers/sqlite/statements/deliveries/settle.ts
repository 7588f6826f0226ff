import { type Connection, run } from '../../connection.ts';

// From `unknown` too: the platform may tell later, and an operator may decide. What is settled for good stays so.
const SQL = `
  update deliveries
  set state = :state, node = null, next_at = :next, platform_id = :platformId, problem = :problem
  where id = :id and state in ('sending', 'unknown')`;

/** Notes what became of a delivery. */
export function settleDelivery(
  connection: Connection,
  outcome: {
    readonly id: string;
    readonly state: 'sent' | 'pending' | 'unknown' | 'failed';
    readonly next: number;
    readonly platformId: string | null;
    readonly problem: string | null;
  },
): void {
  run(connection, SQL, outcome);
}
