import type { Message, UserSaid } from '../../../contract/records.ts';

/** A row of `messages`, with the event that tells what it says. */
export interface MessageRow {
  readonly seq: number;
  readonly id: string;
  readonly session: number;
  readonly session_id: string;
  readonly state: 'waiting' | 'taken' | 'dropped';
  readonly body: string;
  readonly at: number;
  readonly turn_id: string | null;
}

/** What to select to get a MessageRow. */
export const MESSAGES = `
  select messages.*, events.body, events.at, sessions.id as session_id,
    (select id from turns where seq = messages.turn) as turn_id
  from messages
  join events using (session, number)
  join sessions on sessions.seq = messages.session`;

/** A message as the contract shows it. */
export function toMessage(row: MessageRow): Message {
  const said = JSON.parse(row.body) as UserSaid;
  return {
    id: row.id,
    sessionId: row.session_id,
    text: said.text,
    attachments: said.attachments,
    sender: said.sender,
    receivedAt: row.at,
    turnId: row.turn_id ?? undefined,
  };
}
