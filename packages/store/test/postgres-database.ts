import type { PostgresServer } from '@plugboard/testkit';
import { openPostgres } from '../src/drivers/postgres/open.ts';
import type { Opened } from './contract/setup.ts';

const START = 1_000_000;

/** The database of an empty store, which is made once for a server: its tables take 60 ms, a copy 20 ms. */
const templates = new WeakMap<PostgresServer, Promise<string>>();

/** An empty store in a new database of the server, which nobody has open. */
export async function createStoreDatabase(server: PostgresServer): Promise<string> {
  const template = templates.get(server) ?? makeTemplate(server);
  templates.set(server, template);
  return server.createDatabase(await template);
}

async function makeTemplate(server: PostgresServer): Promise<string> {
  const url = await server.createDatabase();
  await (await openPostgres(url, { clock: () => START })).close();
  return url;
}

/** An empty store in a database of its own, with a clock that stands still. */
export async function openDatabase(server: PostgresServer): Promise<Opened> {
  const url = await createStoreDatabase(server);
  const clock = { now: START };
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
