import { type Connection, run } from '../../connection.ts';

const SQL = 'insert into commands (source, session, said, reply) values (:source, :session, :said, :reply)';

/** Notes a command that is obeyed, and what is answered to it. */
export function addCommand(
  connection: Connection,
  command: {
    readonly source: string;
    readonly session: number;
    readonly said: string;
    readonly reply: string;
  },
): void {
  run(connection, SQL, command);
}
