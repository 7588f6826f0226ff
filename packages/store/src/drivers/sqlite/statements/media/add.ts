import { type Connection, run } from '../../connection.ts';

const SQL = `
  insert into media (id, session, name, type, size, file, created_at)
  values (:id, :session, :name, :type, :size, :file, :now)`;

/** Adds a file to a session. */
export function addMedia(
  connection: Connection,
  media: {
    readonly id: string;
    readonly session: number;
    readonly name: string;
    readonly type: string;
    readonly size: number;
    readonly file: string;
    readonly now: number;
  },
): void {
  run(connection, SQL, media);
}
