import { describe, expect, it } from 'vitest';
import { type Door, startDoor } from './door.ts';
import { pageFolder } from './page-folder.ts';
import { exchange, request } from './raw.ts';

/** What a browser would send; fetch of this program would not let us say some of it. */
function ask(door: Door, method: string, path: string, headers: Record<string, string>, body?: unknown) {
  const json = body === undefined ? '' : JSON.stringify(body);
  const own = { host: `127.0.0.1:${door.door.port}`, connection: 'close' };
  const content =
    body === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(json.length) };
  return exchange(door.door.port, request(`${method} ${path}`, { ...own, ...content, ...headers }, json));
}

const foreignOrigins = (port: number) => [
  'null',
  'https://evil.example',
  `http://evil.example:${port}`,
  `http://127.0.0.1:${port + 1}`,
  'http://127.0.0.1',
  `http://localhost:${port}`,
  `http://127.0.0.1:${port}.evil.example`,
  `http://127.0.0.1:${port}/`,
  `ftp://127.0.0.1:${port}`,
  'chrome-extension://abcdef',
  'file://',
  '',
];

describe('a page of somebody else', () => {
  it('changes nothing, with a cookie or with a token', async () => {
    const door = await startDoor();
    const cookie = await door.cookie();
    const before = (await door.store.sessions.list({ limit: 9 })).length;
    for (const origin of foreignOrigins(door.door.port)) {
      for (const key of [{ cookie }, { authorization: `Bearer ${door.token}` }]) {
        const answer = await ask(door, 'POST', '/api/sessions', { origin, ...key }, {});
        expect([origin, answer.status]).toEqual([origin, 403]);
      }
    }
    expect((await door.store.sessions.list({ limit: 9 })).length).toBe(before);
  });

  it('reads nothing: not the streams, not the files, not even what is public', async () => {
    const door = await startDoor();
    const cookie = await door.cookie();
    const { id } = await door.begin();
    const paths = [
      '/api/sessions',
      `/api/sessions/${id}/events`,
      '/api/feed',
      '/api/me',
      '/api/media/x',
      '/openapi.json',
      '/v1/models',
    ];
    for (const path of paths) {
      for (const from of [
        { origin: 'https://evil.example' },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
      ]) {
        const answer = await ask(door, 'GET', path, { cookie, ...from } as Record<string, string>);
        expect([path, answer.status]).toEqual([path, 403]);
        expect(answer.headers['access-control-allow-origin']).toBeUndefined();
      }
    }
  });

  it('gets no leave to ask with other methods and headers', async () => {
    const door = await startDoor();
    const preflight = {
      origin: 'https://evil.example',
      'access-control-request-method': 'DELETE',
      'access-control-request-headers': 'authorization',
    };
    const answer = await ask(door, 'OPTIONS', '/api/sessions', preflight);
    expect(answer.status).toBe(403);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('may link to the page, but not to what is private, and may not put it into a frame', async () => {
    const door = await startDoor({}, { page: pageFolder() });
    const link = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };
    expect((await ask(door, 'GET', '/', link)).status).toBe(200);
    expect((await ask(door, 'GET', '/api/sessions', { ...link, cookie: await door.cookie() })).status).toBe(
      403,
    );
    expect((await ask(door, 'GET', '/', { ...link, 'sec-fetch-dest': 'iframe' })).status).toBe(403);
    expect((await ask(door, 'POST', '/api/login', link, { code: 'x' })).status).toBe(403);
  });
});

describe('our own page', () => {
  it('may do what its cookie allows', async () => {
    const door = await startDoor({ server: { publicUrl: 'https://gate.example' } });
    const cookie = await door.cookie();
    const own = [
      { origin: `http://127.0.0.1:${door.door.port}` },
      { origin: 'https://gate.example' },
      { 'sec-fetch-site': 'same-origin' },
    ];
    for (const from of own) {
      const answer = await ask(
        door,
        'POST',
        '/api/sessions',
        { cookie, ...from } as Record<string, string>,
        {},
      );
      expect(answer.status).toBe(201);
    }
  });
});

describe('a request that does not say where it comes from', () => {
  it('changes nothing by a cookie alone, which browsers send by themselves', async () => {
    const door = await startDoor();
    const cookie = await door.cookie();
    expect((await ask(door, 'POST', '/api/sessions', { cookie }, {})).status).toBe(403);
    expect((await ask(door, 'POST', '/api/sessions', { cookie, 'sec-fetch-site': 'none' }, {})).status).toBe(
      403,
    );
    expect((await ask(door, 'GET', '/api/me', { cookie })).status).toBe(200);
  });

  it('is welcome with a token', async () => {
    const door = await startDoor();
    const authorization = `Bearer ${door.token}`;
    expect((await ask(door, 'POST', '/api/sessions', { authorization }, {})).status).toBe(201);
    expect(
      (await ask(door, 'POST', '/api/sessions', { authorization, 'sec-fetch-site': 'cross-site' }, {}))
        .status,
    ).toBe(201);
  });
});
