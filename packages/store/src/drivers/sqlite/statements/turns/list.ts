import { type Connection, rows } from '../../connection.ts';
import { TURN_COLUMNS, type TurnRow } from '../../records/turn.ts';

// By `seq`, since two turns can begin in the same millisecond. Without `before` there is no upper end.
const SQL = `
  select ${TURN_COLUMNS} from turns
  where session = (select seq from sessions where id = :sessionId)
    and seq < coalesce((select seq from turns where id = :before), 9223372036854775807)
  order by seq desc
  limit :limit`;

/** Turns of a session, newest first. */
export function listTurns(
  connection: Connection,
  page: { readonly sessionId: string; readonly before: string | null; readonly limit: number },
): TurnRow[] {
  return rows(connection, SQL, page);
}
