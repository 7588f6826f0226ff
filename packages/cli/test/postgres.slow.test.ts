import { type PostgresServer, startPostgres } from '@plugboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ended, home, say, shellAgent } from './gateway.ts';
import { expectAnswersAfterOutage } from './postgres-outage.ts';

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

describe.concurrent('plugboard up with a store in Postgres', () => {
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

  it('refuses the name of another gateway in the same database', async () => {
    const config = await configure();
    await using place = home(config);
    await using other = home(config);
    await place.up('--node', 'north');
    const refused = other.start(['--port', '0', '--node', 'north']);
    expect(await refused.ended).toBe(1);
    expect(refused.stderr).toMatch(
      /The database 127\.0\.0\.1:\d+\/test\d+ is in use by another gateway with the name north/,
    );
    const unnameable = other.start(['--port', '0', '--node', 'the north']);
    expect(await unnameable.ended).toBe(2);
    expect(unnameable.stderr).toMatch(/"the north" cannot name a gateway/);
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
});

// This one ends the server of the others.
it('a server that is away for two seconds delays answers, and each message is answered once', () =>
  expectAnswersAfterOutage(server, 2_000));
