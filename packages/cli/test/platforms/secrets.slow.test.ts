import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FakePlatform, until } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import type { Up } from '../gateway.ts';
import { type PlatformsBench, startPlatforms } from './bench.ts';

const CONFIG = {
  agents: {
    echo: { dialect: 'terminal', command: ['/bin/sh', '-c', 'read -r line; echo done'] },
  },
  log: { level: 'debug' },
};

/** What an operator, and everybody with a token, can read over HTTP. */
const ROUTES = [
  '/metrics',
  '/readyz',
  '/openapi.json',
  '/api/channels',
  '/api/people',
  '/api/deliveries',
  '/api/sessions',
  '/api/agents',
  '/api/tokens',
  '/api/asks',
];

function secretsOf({ settings }: FakePlatform): string[] {
  return Object.entries(settings).flatMap(([name, value]) =>
    /token|secret/.test(name) ? [String(value)] : [],
  );
}

/** Every way in which a call to a platform goes wrong, once each. */
function causeTrouble({ server }: FakePlatform): void {
  const isPost = ({ method }: { readonly method: string }): boolean => method === 'POST';
  for (const trouble of ['lose', 'cut', { status: 500, body: 'x' }, { status: 502, body: '<html>' }] as const)
    server.trouble(trouble, isPost);
  server.trouble({ status: 401, body: { error: { code: 190, message: 'no' }, ok: false } }, isPost);
}

async function readEverything({ home }: PlatformsBench, up: Up): Promise<string> {
  const answers = await Promise.all(
    ROUTES.map(async (route) =>
      JSON.stringify((await up.api('GET', route).catch((error) => String(error))) ?? ''),
    ),
  );
  const commands = await Promise.all(
    [['doctor'], ['config'], ['deliveries'], ['channel', 'list']].map((args) => home.run(args)),
  );
  const said = commands.map(({ stdout, stderr }) => `${stdout}\n${stderr}`);
  return [up.stdout, up.stderr, ...answers, ...said, ...filesOf(join(home.data))].join('\n');
}

/** All files of the data directory, the database and recordings among them. */
function filesOf(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
}

it('no token and no secret of a platform is in logs, errors, metrics, answers, recordings or the database', async () => {
  await using bench = await startPlatforms(CONFIG);
  const up = await bench.upAndReady();
  const { platforms } = bench;
  const secrets = [...platforms.values()].flatMap(secretsOf);
  expect(secrets).toHaveLength(7);
  for (const fake of platforms.values()) fake.say('hello');
  const isAnswered = (fake: FakePlatform): boolean => fake.shown().length > 0;
  await until(() => [...platforms.values()].every(isAnswered), 'all to be answered', 30_000);
  for (const fake of platforms.values()) {
    causeTrouble(fake);
    for (let at = 0; at < 6; at += 1) fake.say(`again ${at}`);
  }
  await until(async () => (await errorsIn(up)) >= 3, 'the channels to have errors', 30_000);
  const text = await readEverything(bench, up);
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  // The test would see one: the address of a platform is there.
  expect(text).toContain('done');
  await up.end();
  expect(secrets.filter((secret) => up.stderr.includes(secret))).toEqual([]);
});

async function errorsIn(up: Up): Promise<number> {
  const { json } = await up.api<{ channels: { lastError: unknown }[] }>('GET', '/api/channels');
  return json.channels.filter(({ lastError }) => lastError !== null).length;
}
