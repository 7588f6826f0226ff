import { type Connection, row } from '../../connection.ts';
import type { SessionRow } from '../../records/session.ts';

const SQL = `
  select sessions.*, commands.said, commands.reply
  from commands join sessions on sessions.seq = commands.session
  where commands.source = :source`;

/** A command with its session. */
export interface CommandRow extends SessionRow {
  readonly said: string | null;
  readonly reply: string;
}

/** The command that was obeyed under this name: its session, what it said, and what was answered. */
export function findCommand(connection: Connection, source: string): CommandRow | undefined {
  return row(connection, SQL, { source });
}
