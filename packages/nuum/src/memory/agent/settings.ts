import { type Connection, row, run } from '../../database/connection.ts';
import type { Settings } from '../memory.ts';

/** Settings kept in the database. */
export function createSettings(connection: Connection): Settings {
  return {
    get: (name) =>
      row<{ value: string }>(connection, 'select value from settings where name = :name', { name })?.value,
    set(name, value) {
      if (value === undefined) run(connection, 'delete from settings where name = :name', { name });
      else
        run(
          connection,
          `insert into settings values (:name, :value) on conflict (name) do update set value = excluded.value`,
          { name, value: value.toWellFormed() },
        );
    },
  };
}
