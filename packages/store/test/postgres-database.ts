import type { PostgresServer } from '@plugboard/testkit';
import { openPostgres } from '../src/drivers/postgres/open.ts';
import type { Opened } from './contract/setup.ts';

/** An empty store in a database of its own, with a clock that stands still. */
export async function openDatabase(server: PostgresServer): Promise<Opened> {
  const url = await server.createDatabase();
  const clock = { now: 1_000_000 };
  const open = () => openPostgres(url, { clock: () => clock.now });
  let store = await open();
  return {
    get store() {
      return store;
    },
    clock,
    async reopen() {
      await store.close();
      store = await open();
      return store;
    },
    destroy: () => store.close(),
  };
}
