import { type FakePlatform, startFakePlatforms, startPostgres, until } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import { home, type Up } from '../gateway.ts';

const AGENT = {
  dialect: 'terminal',
  command: [
    '/bin/sh',
    '-c',
    'read -r line; printf "%s" "$line" | sed \'s/.*"text":"\\([^"]*\\)".*/re \\1/\'',
  ],
  protocol: 'rich',
};

/** Platforms that allow one connection, and those that send webhooks to whichever gateway they reach. */
const CONNECTED = ['telegram', 'discord', 'slack'];
const CALLED = ['whatsapp'];

async function statesAt(up: Up): Promise<Record<string, string>> {
  const { json } = await up.api<{ channels: { name: string; state: string }[] }>('GET', '/api/channels');
  return Object.fromEntries(json.channels.map(({ name, state }) => [name, state]));
}

function answersTo(text: string, fakes: Iterable<FakePlatform>): number[] {
  return [...fakes].map((fake) => fake.shown().filter((message) => message.text === `re ${text}`).length);
}

it('of two gateways one has each connection to a platform, and the other takes it over when that one dies', async () => {
  await using server = await startPostgres({ durable: false });
  await using fakes = await startFakePlatforms();
  await using first = home();
  await using second = home();
  const store = await server.createDatabase();
  for (const place of [first, second]) {
    const config = { agents: { echo: AGENT }, store, channels: fakes.channelsIn(place.path) };
    place.write(JSON.stringify(config));
  }
  const north = await first.up('--node', 'north');
  const isReady = async (up: Up): Promise<boolean> =>
    Object.values(await statesAt(up)).every((state) => state === 'ready');
  await until(() => isReady(north), 'north has all channels', 20_000);
  const south = await second.up('--node', 'south');
  const states = await statesAt(south);
  for (const name of CONNECTED) expect(states[name], name).toBe('elsewhere');
  await until(
    async () =>
      CALLED.every((name) => states[name] === 'ready') || (await statesAt(south)).whatsapp === 'ready',
    'south takes webhooks',
  );

  // Webhooks reach south, and north sends the answers.
  fakes.connect(south.url);
  const all = [...fakes.all.values()];
  for (const fake of all) fake.say('one');
  await until(
    () => answersTo('one', all).every((count) => count === 1),
    'each platform has the answer',
    20_000,
  );

  await north.end('SIGKILL');
  await until(() => isReady(south), 'south has all channels', 20_000);
  for (const fake of all) fake.say('two');
  await until(
    () => answersTo('two', all).every((count) => count === 1),
    'each platform has the answer of south',
    20_000,
  );
  expect(answersTo('one', all)).toEqual(all.map(() => 1));
  expect(await south.end()).toBe(0);
});
