import { setTimeout as sleep } from 'node:timers/promises';
import { type PostgresServer, until } from '@plugboard/testkit';
import { expect } from 'vitest';
import { home, shellAgent, type Up } from './gateway.ts';

/** Ends the server of a gateway for `ms` while people speak: each message must be answered, and once. */
export async function expectAnswersAfterOutage(server: PostgresServer, ms: number): Promise<void> {
  await using place = home(
    `agents: { short: ${shellAgent('echo fine')} }\nstore: ${await server.createDatabase()}\n`,
  );
  const up = await place.up();
  const sessions = await Promise.all(
    [1, 2, 3].map(async () => (await up.api<{ id: string }>('POST', '/api/sessions', {})).json.id),
  );
  await server.stop('kill');
  const sent = sessions.map((id) => up.api('POST', `/api/sessions/${id}/messages`, { text: `hello ${id}` }));
  await until(async () => (await fetch(`${up.url}/readyz`)).status === 503, 'it is not ready');
  expect((await fetch(`${up.url}/healthz`)).status).toBe(200);
  await sleep(ms);
  await server.start();
  for (const { status } of await Promise.all(sent)) expect(status).toBeLessThan(300);
  await until(async () => (await fetch(`${up.url}/readyz`)).status === 200, 'it is ready again');
  for (const id of sessions) await expectOneAnswer(up, id);
  expect(await up.end()).toBe(0);
}

async function expectOneAnswer(up: Up, id: string): Promise<void> {
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
