import { type Connection, findRow, runStatement } from '@plugboard/sqlite';
import type { Settings } from '../memory.ts';

/** The table `settings`. */
export function createSettings(connection: Connection): Settings {
  return {
    get: (name) =>
      findRow<{ value: string }>(connection, 'select value from settings where name = :name', { name })
        ?.value,
    set(name, value) {
      if (value === undefined) runStatement(connection, 'delete from settings where name = :name', { name });
      else
        runStatement(
          connection,
          `insert into settings values (:name, :value) on conflict (name) do update set value = excluded.value`,
          { name, value: value.toWellFormed() },
        );
    },
  };
}
