import { describe, expect, it } from 'vitest';
import { type Route, route } from '../../src/http/route.ts';
import { createRouter } from '../../src/http/router.ts';
import { sharedDoor, startDoor } from './door.ts';
import { pageFolder } from './page-folder.ts';
import { exchange, request } from './raw.ts';

const TRICKS = [
  '/../secret.txt',
  '/..%2fsecret.txt',
  '/%2e%2e/secret.txt',
  '/%2e%2e%2fsecret.txt',
  '/assets/../../secret.txt',
  '/assets/..%5c..%5csecret.txt',
  '/assets\\..\\..\\secret.txt',
  '/assets/%252e%252e/secret.txt',
  '/%c0%ae%c0%ae/secret.txt',
  '/%e0%80%ae%e0%80%ae/secret.txt',
  '/assets/app.js%00.css',
  '/assets/app.js/',
  '/assets//app.js',
  '//assets/app.js',
  '/./assets/app.js',
  '/assets/app.js.',
  '/assets/APP.JS',
  '/assets/app.js::$DATA',
  '/assets/app.js.map',
  '/assets/',
  '/assets',
  '/index.html',
  '/con',
  '/nul.txt',
  '/etc/passwd',
  '/file:///etc/passwd',
  '/%2Fetc%2Fpasswd',
  '/api%2Fme',
  '/api/%6de',
  '/API/me',
  '/api/me;x=1',
  '/api/me/',
  '/api/./me',
  '/%',
  '/%zz',
  `/${'a/'.repeat(2_000)}`,
];

describe('a path', () => {
  it('leads to a file of the page only by its own name', async () => {
    const { door } = await startDoor({}, { page: pageFolder() });
    const ask = (path: string) =>
      exchange(door.port, request(`GET ${path}`, { host: 'localhost', connection: 'close' }));
    expect((await ask('/assets/app.js')).body).toBe('export {};');
    for (const path of [...TRICKS, `/api/sessions/${'a'.repeat(10_000)}/x/y`]) {
      const { status, text } = await ask(path);
      expect([path, status]).toEqual([path, 404]);
      expect(text).not.toMatch(/outside-of-the-page|export \{\}|root:/);
    }
  });

  it('leads to a file of a session only by its id', async () => {
    const door = await startDoor();
    const { id } = await door.begin();
    const bytes = {
      async *[Symbol.asyncIterator]() {
        yield Buffer.from('the file');
      },
    };
    const media = await door.gateway.media.add(id, { name: 'a', bytes });
    const ask = (path: string) =>
      exchange(
        door.door.port,
        request(`GET /api/media/${path}`, {
          host: 'localhost',
          connection: 'close',
          authorization: `Bearer ${door.token}`,
        }),
      );
    expect((await ask(media.id)).body).toBe('the file');
    for (const path of [
      '..%2fgateway.db',
      '%2e%2e%2fgateway.db',
      `${media.file}`,
      `.%2f${media.file}`,
      `${media.id}%00`,
      `${media.id}%2f`,
      `${media.id}.`,
      '%00',
      '..',
      '.',
    ]) {
      expect([path, (await ask(path)).status]).toEqual([path, 404]);
    }
    for (const path of ['%', '%c0%ae', '%e0%80', '%ff'])
      expect([path, (await ask(path)).status]).toEqual([path, 400]);
  });
});

describe('an id', () => {
  const shared = sharedDoor();

  it.each([
    'x',
    '0',
    '%00',
    "'%20or%201=1--",
    '%F0%9F%92%A9',
    '__proto__',
    'constructor',
    '%0d%0aset-cookie:x=y',
    '..%2f..',
  ])('that nothing has (%s) finds nothing, wherever it stands', async (id) => {
    const door = shared();
    for (const [method, path] of [
      ['GET', `/api/sessions/${id}`],
      ['GET', `/api/sessions/${id}/events`],
      ['GET', `/api/turns/${id}`],
      ['GET', `/api/turns/${id}/record`],
      ['GET', `/api/media/${id}`],
      ['GET', `/api/deliveries/${id}`],
      ['DELETE', `/api/tokens/${id}`],
      ['GET', `/v1/models/${id}`],
    ] as const) {
      const answer = await exchange(
        door.door.port,
        request(`${method} ${path}`, {
          host: 'localhost',
          connection: 'close',
          authorization: `Bearer ${door.token}`,
        }),
      );
      expect([path.slice(0, 60), answer.status]).toEqual([path.slice(0, 60), 404]);
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
  });
});

describe('a query', () => {
  const shared = sharedDoor();

  it.each([
    'sessions?nothing=1',
    'sessions?limit=1&limit=2',
    'sessions?limit=0',
    'sessions?limit=201',
    'sessions?limit=1e3',
    'sessions?limit=',
    'sessions?limit=-1',
    'sessions?limit=NaN',
    'sessions?cursor=x',
    'sessions?cursor=',
    'sessions?cursor=1',
    'sessions?cursor=.x',
    'sessions?cursor=1e5.x',
    `sessions?cursor=${'9'.repeat(30)}.x`,
    'sessions?cursor=-1.x',
    'sessions?cursor=1.%00',
    `sessions?search=${'x'.repeat(501)}`,
    'sessions?__proto__=1',
    'me?token=x',
    'agents?x',
  ])('of %s is refused', async (query) => {
    const answer = await shared().call('GET', `/api/${query}`);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { code: 'invalid' } });
  });

  it.each([
    'after=-1',
    'after=x',
    'after=1.5',
    `after=${'9'.repeat(20)}`,
    'after=Infinity',
    'limit=5001',
    'after=1&after=2',
  ])('of events with %s is refused', async (query) => {
    const { id } = await shared().begin();
    expect((await shared().call('GET', `/api/sessions/${id}/events?${query}`)).status).toBe(400);
  });

  it('does not matter where a page is linked to', async () => {
    const { door } = await startDoor({}, { page: pageFolder() });
    for (const query of ['?gatewayUrl=http://evil.example', '?q=hello&token=x', '?__proto__=1', '?%']) {
      const plain = await (await fetch(`${door.url}/`)).text();
      expect(await (await fetch(`${door.url}/${query}`)).text()).toBe(plain);
    }
  });
});

describe('the router', () => {
  const at = (method: Route['method'], path: string) =>
    route({
      method,
      path,
      resource: 'public',
      tag: 'x',
      summary: '',
      answers: {},
      handle: () => ({ status: 200 }),
    });
  const router = createRouter([
    at('get', '/a'),
    at('post', '/a'),
    at('get', '/a/:id'),
    at('get', '/a/:id/b'),
    at('get', '/a/fixed'),
  ]);

  it('prefers a path without parameters, and gives parameters decoded once', () => {
    expect(router.find('GET', '/a/fixed')?.route?.path).toBe('/a/fixed');
    expect(router.find('GET', '/a/x%2Fy%2520z')?.params()).toEqual({ id: 'x/y%20z' });
    expect(router.find('GET', '/a/')).toBeUndefined();
    expect(router.find('GET', '/a//b')).toBeUndefined();
    expect(router.find('PATCH', '/a')).toMatchObject({ route: undefined, allow: 'GET, HEAD, POST' });
  });
});
