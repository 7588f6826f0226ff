import { beforeAll, describe, expect, it } from 'vitest';
import { hostOf, policyFor } from '../../src/http/guard.ts';
import { sharedDoor, startDoor } from './door.ts';
import { pageFolder } from './page-folder.ts';
import { exchange, request } from './raw.ts';

const ROUTES = [
  '/',
  '/assets/app.js',
  '/docs',
  '/openapi.json',
  '/healthz',
  '/metrics',
  '/api/me',
  '/v1/models',
  '/nothing',
  '/api/media/x',
  '/%zz',
];

const FOREIGN = [
  'evil.example',
  '127.0.0.1.evil',
  '127.0.0.1.evil.example:80',
  'localhost.evil.example',
  'localhost.',
  '127.0.0.1.',
  'evil.example#localhost',
  'localhost@evil.example',
  'localhost,evil.example',
  'localhost evil.example',
  '[::ffff:127.0.0.1]',
  '[0:0:0:0:0:0:0:1]',
  '0.0.0.0',
  '2130706433',
  '0x7f.1',
  'localhost:',
  'localhost:123456',
  '',
];

describe('a name that the gateway does not have', () => {
  const shared = sharedDoor();

  it('is refused on every kind of route, before anything else', async () => {
    const { door } = await startDoor({}, { page: pageFolder() });
    for (const path of ROUTES) {
      const answer = await exchange(
        door.port,
        request(`GET ${path}`, { host: 'evil.example', connection: 'close' }),
      );
      expect([path, answer.status]).toEqual([path, 421]);
      expect(answer.headers['x-content-type-options']).toBe('nosniff');
    }
  });

  it.each(FOREIGN)('is not %j', async (host) => {
    const answer = await exchange(shared().door.port, request('GET /healthz', { host, connection: 'close' }));
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.text).not.toContain('ok\n');
  });

  it('is refused before a connection could be upgraded', async () => {
    const { door } = await startDoor();
    const upgrade = {
      host: 'evil.example',
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
    };
    expect((await exchange(door.port, request('GET /api/feed', upgrade))).status).toBe(421);
  });

  it('may not stand in the target either, whatever Host says', async () => {
    const { door } = await startDoor();
    for (const target of [
      'http://evil.example/healthz',
      'http://127.0.0.1/healthz',
      '*',
      'evil.example:443',
    ]) {
      const answer = await exchange(
        door.port,
        request(`GET ${target}`, { host: '127.0.0.1', connection: 'close' }),
      );
      expect([target, answer.status]).toEqual([target, 400]);
    }
  });

  it('may not be given beside a good one, or left out', async () => {
    const { door } = await startDoor();
    for (const hosts of [
      'host: localhost\r\nhost: evil.example',
      'host: evil.example\r\nHost: localhost',
      'Host: localhost\r\nhOsT: localhost',
      'accept: */*',
    ]) {
      const answer = await exchange(
        door.port,
        `GET /healthz HTTP/1.1\r\n${hosts}\r\nconnection: close\r\n\r\n`,
      );
      expect([hosts, answer.status >= 400 && answer.status < 500]).toEqual([hosts, true]);
    }
    expect((await exchange(door.port, 'GET /healthz HTTP/1.0\r\n\r\n')).status).toBe(421);
  });
});

describe('a name that the gateway has', () => {
  const shared = sharedDoor({ server: { names: ['box.example'], publicUrl: 'https://gate.example/' } });

  it.each([
    'localhost',
    '127.0.0.1',
    '[::1]',
    'LocalHost:7420',
    'localhost:1',
    'box.example',
    'BOX.example:443',
    'gate.example',
  ])('is %s, with whatever port', async (host) => {
    const { door } = shared();
    expect((await exchange(door.port, request('GET /healthz', { host, connection: 'close' }))).status).toBe(
      200,
    );
  });

  it('is the address that was connected to, which nobody can make point elsewhere', async () => {
    const { door } = await startDoor({ server: { host: '127.0.0.2' } });
    const ask = (host: string) =>
      exchange(door.port, request('GET /healthz', { host, connection: 'close' }), 150, '127.0.0.2');
    expect((await ask(`127.0.0.2:${door.port}`)).status).toBe(200);
    expect((await ask('127.0.0.3')).status).toBe(421);
    expect(door.url).toBe(`http://127.0.0.2:${door.port}`);
  });

  it('is an address in brackets when it is a long one', () => {
    expect(['::1', '::ffff:10.0.0.1', '10.0.0.1', 'fe80::1'].map(hostOf)).toEqual([
      '[::1]',
      '10.0.0.1',
      '10.0.0.1',
      '[fe80::1]',
    ]);
  });

  it('changes with the configuration', async () => {
    const bench = await startDoor();
    const ask = async () =>
      (await exchange(bench.door.port, request('GET /healthz', { host: 'new.example', connection: 'close' })))
        .status;
    expect(await ask()).toBe(421);
    const { config } = bench.gateway;
    bench.gateway.reload({ ...config, server: { ...config.server, names: ['new.example'] } });
    expect(await ask()).toBe(200);
  });
});

describe('the link to the gateway', () => {
  it('leads to an address that a browser can go to', async () => {
    const open = await startDoor({ server: { host: '0.0.0.0', exposed: true } });
    expect(open.door.url).toBe(`http://127.0.0.1:${open.door.port}`);
    const proxied = await startDoor({ server: { publicUrl: 'https://gate.example/' } });
    expect(proxied.door.url).toBe('https://gate.example');
  });
});

describe('the policy', () => {
  let policy: ReturnType<typeof policyFor>;
  beforeAll(() => {
    policy = policyFor(['box'], 'https://gate.example:8443/base');
  });

  it('takes its names from everywhere they are configured', () => {
    expect([...policy.names]).toEqual(['localhost', '127.0.0.1', '[::1]', 'box', 'gate.example']);
    expect([...policy.origins]).toEqual(['https://gate.example:8443']);
  });
});
