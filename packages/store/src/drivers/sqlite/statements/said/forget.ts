import { type Connection, run } from '../../connection.ts';

const SQL = 'delete from said where rowid = :doc';

/** Makes a text unfindable. */
export function forgetText(connection: Connection, doc: number): void {
  run(connection, SQL, { doc });
}
