import type { Session } from '../../../contract/records.ts';

/** A row of `sessions`. */
export interface SessionRow {
  readonly seq: number;
  readonly id: string;
  readonly channel: string;
  readonly place: string;
  readonly agent: string;
  readonly title: string;
  readonly agent_session: string | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly last_event: number;
  readonly waiting: number;
  readonly oldest_waiting: number | null;
  readonly running: number;
  readonly closed: number;
  readonly fence: number;
}

/** A session as the contract shows it. */
export function toSession(row: SessionRow): Session {
  return {
    id: row.id,
    channel: row.channel,
    place: row.place,
    agent: row.agent,
    title: row.title,
    agentSession: row.agent_session ?? undefined,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    lastEvent: row.last_event,
    waiting: row.waiting,
    running: row.running === 1,
    closed: row.closed === 1,
  };
}
