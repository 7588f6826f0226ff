import { setTimeout as sleep } from 'node:timers/promises';
import { type PostgresServer, startPostgres, until } from '@plugboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ended, home, say, shellAgent } from './gateway.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server[Symbol.asyncDispose]());

const AGENT = `agents: { short: ${shellAgent('echo fine')} }\n`;

/** A configuration with an empty database of its own. */
async function configure(): Promise<string> {
  return `${AGENT}store: ${await server.createDatabase()}\n`;
}

describe('plugboard up with a store in Postgres', () => {
  it('answers, and knows what was said after a restart', async () => {
    await using place = home(await configure());
    const first = await place.up();
    const session = await say(first, 'hello');
    await session.hears('the answer comes', ended);
    expect(await first.end()).toBe(0);
    const second = await place.up();
    expect((await session.events(second)).map(({ event }) => event.type)).toContain('end');
    expect(await second.end()).toBe(0);
  });

  it('refuses a database that another gateway has', async () => {
    const config = await configure();
    await using place = home(config);
    await using other = home(config);
    await place.up();
    const refused = other.start(['--port', '0']);
    expect(await refused.ended).toBe(1);
    expect(refused.stderr).toMatch(/The database 127\.0\.0\.1:\d+\/test\d+ is in use by another gateway/);
  });

  it('ends with a sentence when the database cannot be reached, and names no password', async () => {
    await using place = home(`${AGENT}store: { url: { file: ./database } }\n`);
    place.write('postgres://plug:secret@127.0.0.1:1/nothing', 'database');
    const up = place.start(['--port', '0']);
    expect(await up.ended).toBe(1);
    expect(up.stderr).toMatch(/The database 127\.0\.0\.1:1\/nothing does not answer: .*ECONNREFUSED/);
    expect(up.stderr).not.toContain('secret');
  });

  it('db backup and db restore name pg_dump', async () => {
    await using place = home(await configure());
    const made = await place.run(['db', 'backup', 'copy.db', '--config', 'plugboard.yaml']);
    expect([made.code, made.stderr]).toEqual([1, expect.stringContaining('pg_dump')]);
  });

  it('a server that is away for ten seconds delays answers, and each message is answered once', async () => {
    await using place = home(await configure());
    const up = await place.up();
    const sessions = await Promise.all(
      [1, 2, 3].map(async () => (await up.api<{ id: string }>('POST', '/api/sessions', {})).json.id),
    );
    await server.stop('kill');
    const sent = sessions.map((id) =>
      up.api('POST', `/api/sessions/${id}/messages`, { text: `hello ${id}` }),
    );
    await until(async () => (await fetch(`${up.url}/readyz`)).status === 503, 'it is not ready');
    expect((await fetch(`${up.url}/healthz`)).status).toBe(200);
    await sleep(10_000);
    await server.start();
    for (const { status } of await Promise.all(sent)) expect(status).toBeLessThan(300);
    await until(async () => (await fetch(`${up.url}/readyz`)).status === 200, 'it is ready again');
    for (const id of sessions) {
      const events = async (): Promise<string[]> => {
        const { json } = await up.api<{ events: { event: { type: string } }[] }>(
          'GET',
          `/api/sessions/${id}/events?after=0`,
        );
        return json.events.map(({ event }) => event.type);
      };
      await until(async () => (await events()).includes('end'), 'the answer comes', 20_000);
      expect((await events()).filter((type) => type === 'end' || type === 'user')).toEqual(['user', 'end']);
    }
    expect(await up.end()).toBe(0);
  });
});
