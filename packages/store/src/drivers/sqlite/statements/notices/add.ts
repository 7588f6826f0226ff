import { type Connection, run } from '../../connection.ts';

const SQL = 'insert into notices (id, session, number) values (:id, :session, :number)';

/** Notes which event a notice became. */
export function addNotice(
  connection: Connection,
  notice: { readonly id: string; readonly session: number; readonly number: number },
): void {
  run(connection, SQL, notice);
}
