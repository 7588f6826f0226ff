import { type Connection, row } from '../../connection.ts';
import type { SessionRow } from '../../records/session.ts';

const SQL = `
  select sessions.*, commands.reply
  from commands join sessions on sessions.seq = commands.session
  where commands.source = :source`;

/** The command that was obeyed under this name: its session, and what was answered. */
export function findCommand(
  connection: Connection,
  source: string,
): (SessionRow & { readonly reply: string }) | undefined {
  return row(connection, SQL, { source });
}
