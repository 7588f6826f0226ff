import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
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
    const made = await place.run(['token', 'create', 'notebook']);
    const secret = made.stdout.trim();
    const id = made.stderr.split(' ')[0] ?? '';
    expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining('not shown again') });
    expect(await status(up, '/api/me', secret)).toBe(200);
    expect(await status(up, '/api/tokens', secret)).toBe(403);
    const list = await place.run(['token', 'list']);
    expect(list.stdout).toContain(`${id}  notebook  [chat]`);
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
    for (const args of [
      ['--days', 'soon'],
      ['--days', '-1'],
    ]) {
      const bad = await place.run(['token', 'create', 'x', ...args]);
      expect(bad).toMatchObject({ code: 2, stdout: '' });
    }
    const listed = JSON.parse((await place.run(['token', 'list', '--json'])).stdout);
    expect(listed.map(({ name }: { name: string }) => name)).toContain('ci');
  });
});

const logIn = (url: string, code = ''): Promise<Response> =>
  fetch(`${url}/api/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ code }),
  });

describe.concurrent('plugboard login', () => {
  it('prints a link that works once', async () => {
    await using place = home();
    const up = await place.up();
    const { stdout, stderr } = await place.run(['login']);
    const [, code] = stdout.trim().split('#code=');
    expect(stdout.startsWith(`${up.url}/#code=`)).toBe(true);
    expect(stderr).toBe('');
    const first = await logIn(up.url, code);
    expect([first.status, first.headers.get('set-cookie')]).toEqual([
      204,
      expect.stringContaining('HttpOnly'),
    ]);
    expect((await logIn(up.url, code)).status).toBe(401);
  });

  it('also prints links for other machines when they can reach the gateway, as plugboard up does', async () => {
    await using place = home('server: { host: 0.0.0.0, exposed: true }\n');
    const up = await place.up();
    await until(() => up.stderr.includes('plain HTTP'), 'the banner comes');
    const { stdout, stderr } = await place.run(['login']);
    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#code=\S+\n$/);
    expect(stderr).toContain('plain HTTP');
    const others = Object.values(networkInterfaces())
      .flatMap((list = []) => list)
      .filter(({ family, internal }) => family === 'IPv4' && !internal);
    for (const said of [stderr, up.stderr]) {
      const links = [...said.matchAll(/(http:\/\/\S+)\/#code=(\S+)/g)].filter(([, url]) => url !== up.url);
      expect(links.map(([, url = '']) => new URL(url).hostname)).toEqual(
        others.map(({ address }) => address),
      );
      const [, url, code] = links[0] ?? [];
      if (url !== undefined) expect((await logIn(url, code)).status).toBe(204);
    }
  });

  it('prints the link that is configured, and no other', async () => {
    await using place = home(
      'server: { host: 0.0.0.0, exposed: true, public_url: "https://chat.example.org" }\n',
    );
    const up = place.start(['--port', '0']);
    await until(() => up.stderr.includes('log in'), 'it comes up', 20_000);
    expect(up.stderr).toContain('https://chat.example.org/#code=');
    expect(up.stderr).not.toContain('plain HTTP');
    expect(await up.end()).toBe(0);
  });
});
