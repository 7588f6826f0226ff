import { type PostgresServer, startPostgres } from '@plugboard/testkit';
import { afterAll, beforeAll } from 'vitest';
import { describeStore } from './contract-suite.ts';
import { openDatabase } from './postgres-database.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres({ durable: false });
});
afterAll(() => server[Symbol.asyncDispose]());

describeStore('postgres', () => openDatabase(server));
