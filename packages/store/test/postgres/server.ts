import { type PostgresServer, startPostgres } from '@plugboard/testkit';
import pg from 'pg';
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { Store } from '../../src/contract/store.ts';
import { openPostgres, type PostgresOptions } from '../../src/drivers/postgres/open.ts';
import { createStoreDatabase } from '../postgres-database.ts';

/** A server for one test file, and stores that are closed after each test. */
export interface TestServer {
  readonly server: PostgresServer;
  open(url: string, options?: PostgresOptions): Promise<Store>;
  /** A connection beside the store. */
  connect(url: string): Promise<pg.Client>;
}

export function useServer(options: { readonly durable?: boolean } = {}): TestServer {
  let server: PostgresServer;
  const open: { close(): Promise<void> }[] = [];
  beforeAll(async () => {
    server = await startPostgres(options);
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((one) => one.close()));
  });
  afterAll(() => server[Symbol.asyncDispose]());
  return {
    get server() {
      return server;
    },
    async open(url, asked) {
      const store = await openPostgres(url, asked);
      open.push(store);
      return store;
    },
    async connect(url) {
      const client = new pg.Client({ connectionString: url });
      client.on('error', () => {});
      await client.connect();
      open.push({ close: () => client.end() });
      return client;
    },
  };
}

/** Two stores in one database: two nodes. */
export async function openNodes(its: TestServer): Promise<{ url: string; north: Store; south: Store }> {
  const url = await createStoreDatabase(its.server);
  const [north, south] = await Promise.all([its.open(url), its.open(url)]);
  return { url, north, south };
}
