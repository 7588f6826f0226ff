import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { home, type Up } from './gateway.ts';

const status = async (up: Up, path: string, secret: string): Promise<number> =>
  (await fetch(`${up.url}${path}`, { headers: { authorization: `Bearer ${secret}` } })).status;

describe.concurrent('plugboard token', () => {
  it('makes a key that is shown once, is good for what it was made for, and for nothing once revoked', async () => {
    await using place = home();
    const up = await place.up();
    const made = await place.run(['token', 'create', 'phone']);
    const secret = made.stdout.trim();
    const id = made.stderr.split(' ')[0] ?? '';
    expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining('not shown again') });
    expect(await status(up, '/api/me', secret)).toBe(200);
    expect(await status(up, '/api/tokens', secret)).toBe(403);
    const list = await place.run(['token', 'list']);
    expect(list.stdout).toContain(`${id}  phone  [chat]`);
    const everything = [list.stdout, up.stdout, up.stderr].join();
    expect(everything).not.toContain(secret);
    expect(readFileSync(join(place.data, 'plugboard.db')).includes(secret)).toBe(false);
    expect(readFileSync(join(place.data, 'plugboard.db-wal')).includes(secret)).toBe(false);
    expect(await place.run(['token', 'revoke', id])).toMatchObject({ code: 0 });
    await until(async () => (await status(up, '/api/me', secret)) === 401, 'it is worth nothing', 2_000);
    const again = await place.run(['token', 'revoke', id]);
    expect(again).toMatchObject({ code: 1, stderr: 'plugboard: There is no such token.\n' });
  });

  it('takes scopes, an agent, a time, and says what is wrong with them', async () => {
    await using place = home();
    const up = await place.up();
    const one = await place.run([
      'token',
      'create',
      'ci',
      '--scope',
      'chat',
      '--scope',
      'agent:demo',
      '--json',
    ]);
    const { secret, token } = JSON.parse(one.stdout);
    expect(token).toMatchObject({ name: 'ci', scopes: ['chat', 'agent:demo'], expiresAt: null });
    const agents = await fetch(`${up.url}/api/agents`, { headers: { authorization: `Bearer ${secret}` } });
    expect(((await agents.json()) as { agents: object[] }).agents).toMatchObject([{ name: 'demo' }]);
    const brief = await place.run(['token', 'create', 'brief', '--days', '0.00001']);
    await sleep(900);
    await until(async () => (await status(up, '/api/me', brief.stdout.trim())) === 401, 'it is over', 2_500);
    for (const [args, code] of [
      [['--days', 'soon'], 2],
      [['--days', '-1'], 2],
      [['--scope', 'everything'], 1],
    ] as const) {
      const bad = await place.run(['token', 'create', 'x', ...args]);
      expect(bad).toMatchObject({ code, stdout: '' });
    }
    const listed = JSON.parse((await place.run(['token', 'list', '--json'])).stdout);
    expect(listed.map(({ name }: { name: string }) => name)).toContain('ci');
  });
});

it('plugboard login prints a link that works once', async () => {
  await using place = home();
  const up = await place.up();
  const { stdout } = await place.run(['login']);
  const [, code] = stdout.trim().split('#code=');
  expect(stdout.startsWith(`${up.url}/#code=`)).toBe(true);
  const login = (): Promise<Response> =>
    fetch(`${up.url}/api/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: up.url },
      body: JSON.stringify({ code }),
    });
  const first = await login();
  expect([first.status, first.headers.get('set-cookie')]).toEqual([204, expect.stringContaining('HttpOnly')]);
  expect((await login()).status).toBe(401);
});
