import type { End } from '@plugboard/protocol';
import type { StoredTurn, TurnState } from '../../../contract/records.ts';
import { type Connection, findRow, requireRow } from '../connection.ts';

/** A row of `turns`, with public ids and the body of its `end` event. */
export interface TurnRow {
  readonly seq: number;
  readonly id: string;
  readonly session: number;
  readonly session_id: string;
  readonly agent: string;
  readonly message_id: string | null;
  readonly state: TurnState;
  readonly started_at: number;
  readonly ended_at: number | null;
  readonly after_number: number;
  readonly end_body: string | null;
}

/** Columns of a `TurnRow`. */
export const TURN_COLUMNS = `*,
  (select id from sessions where seq = turns.session) as session_id,
  (select id from messages where seq = turns.message) as message_id,
  (select body from events where session = turns.session and number = turns.end_number) as end_body`;

export function toTurn(row: TurnRow): StoredTurn {
  return {
    id: row.id,
    sessionId: row.session_id,
    agent: row.agent,
    messageId: row.message_id ?? undefined,
    state: row.state,
    startedAt: row.started_at,
    endedAt: row.ended_at ?? undefined,
    end: row.end_body === null ? undefined : (JSON.parse(row.end_body) as End),
  };
}

const FIND_TURN = `select ${TURN_COLUMNS} from turns where id = :id`;

export function findTurn(connection: Connection, id: string): TurnRow | undefined {
  return findRow(connection, FIND_TURN, { id });
}

/** For an id that is known to exist. */
export function requireTurn(connection: Connection, id: string): TurnRow {
  return requireRow(connection, FIND_TURN, { id });
}
