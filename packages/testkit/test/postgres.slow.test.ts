import { startPostgres } from '@plugboard/testkit';
import pg from 'pg';
import { expect, it } from 'vitest';

async function ask(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

it('startPostgres serves a database for each test, and keeps its data when it is killed', async () => {
  await using server = await startPostgres();
  const [one, other] = [await server.createDatabase(), await server.createDatabase()];
  await ask(one, 'create table kept (id int); insert into kept values (7)');
  await expect(ask(other, 'select id from kept')).rejects.toMatchObject({ code: '42P01' });
  expect(await ask(await server.createDatabase(one), 'select id from kept')).toEqual([{ id: 7 }]);
  await server.stop('kill');
  await expect(ask(one, 'select 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await server.start();
  expect(await ask(one, 'select id from kept')).toEqual([{ id: 7 }]);
});
