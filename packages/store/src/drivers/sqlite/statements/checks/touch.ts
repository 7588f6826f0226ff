import { type Connection, run } from '../../connection.ts';

// Only a real write tells whether the disk takes one, and only one of some size whether it takes more than a few bytes.
const SQL = `
  insert into checks values (1, :now, zeroblob(65536))
  on conflict (only) do update set at = excluded.at, filler = excluded.filler`;

/** Writes something that nobody reads, larger than most of what is written otherwise. */
export function touch(connection: Connection, now: number): void {
  run(connection, SQL, { now });
}
