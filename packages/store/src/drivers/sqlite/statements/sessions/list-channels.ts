import { type Connection, rows } from '../../connection.ts';

// `select distinct` would read every entry of the index: this looks each channel up in it, however many sessions it has.
const SQL = `
  with recursive channels (name) as (
    select min(channel) from sessions
    union all
    select (select min(channel) from sessions where channel > name) from channels where name is not null
  )
  select name from channels where name is not null`;

/** The channels that have sessions. */
export function listChannels(connection: Connection): string[] {
  return rows<{ name: string }>(connection, SQL, {}).map(({ name }) => name);
}
