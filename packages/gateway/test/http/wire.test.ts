import { describe, expect, it } from 'vitest';
import { sharedDoor, startDoor } from './door.ts';
import { dial, exchange, listenTo, request } from './raw.ts';

const HOST = 'Host: 127.0.0.1\r\n';
const NEXT = `GET /healthz HTTP/1.1\r\n${HOST}\r\n`;

/** Requests that two readers could cut in different places. */
const SMUGGLING: Readonly<Record<string, string>> = {
  'a length and pieces': `POST /api/login HTTP/1.1\r\n${HOST}Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nX`,
  'pieces and a length': `POST /api/login HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\nContent-Length: 6\r\n\r\n0\r\n\r\nX`,
  'two lengths': `POST /api/login HTTP/1.1\r\n${HOST}Content-Length: 2\r\nContent-Length: 4\r\n\r\n{}`,
  'the same length twice': `POST /api/login HTTP/1.1\r\n${HOST}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}`,
  'a list of lengths': `POST /api/login HTTP/1.1\r\n${HOST}Content-Length: 2, 2\r\n\r\n{}`,
  'a length with a sign': `POST /api/login HTTP/1.1\r\n${HOST}Content-Length: +2\r\n\r\n{}`,
  'a length below zero': `POST /api/login HTTP/1.1\r\n${HOST}Content-Length: -1\r\n\r\n`,
  'a length in hex': `POST /api/login HTTP/1.1\r\n${HOST}Content-Length: 0x2\r\n\r\n{}`,
  'a length beyond all numbers': `POST /api/login HTTP/1.1\r\n${HOST}Content-Length: 99999999999999999999999\r\n\r\n`,
  'a coding after chunked': `POST /api/login HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
  'a coding that is not known': `POST /api/login HTTP/1.1\r\n${HOST}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
  'a space before the colon': `GET /healthz HTTP/1.1\r\n${HOST}X-Y : z\r\n\r\n`,
  'a folded header': `GET /healthz HTTP/1.1\r\n${HOST}X-Y: a\r\n b\r\n\r\n`,
  'a folded header that hides a length': `POST /api/login HTTP/1.1\r\n${HOST}X-Y: a\r\n\tContent-Length: 5\r\n\r\n`,
  'a bare carriage return in a header': `GET /healthz HTTP/1.1\r\n${HOST}X-Y: a\rX-Z: b\r\n\r\n`,
  'a NUL in a header': `GET /healthz HTTP/1.1\r\n${HOST}X-Y: a\0b\r\n\r\n`,
  'a bare carriage return at the end of a line': `GET /healthz HTTP/1.1\r${HOST}\r\n`,
  'a size of a piece that is no number': `POST /api/login HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
  'a size of a piece beyond all numbers': `POST /api/login HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}\r\n0\r\n\r\n`,
  'no version': `GET /healthz\r\n${HOST}\r\n`,
  'a version to come': `GET /healthz HTTP/3.0\r\n${HOST}\r\n`,
  'another protocol': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
};

describe('a request of doubtful length or form', () => {
  const shared = sharedDoor();

  it.each(Object.entries(SMUGGLING))('by %s is refused, and the connection closed', async (_what, bytes) => {
    const answer = await exchange(shared().door.port, bytes + NEXT, 1_500);
    expect(answer).toMatchObject({ status: 400, closed: true });
    expect(answer.text.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    expect(answer.text).not.toContain('ok\n');
  });
});

describe('headers', () => {
  it('that are too long are refused, and the connection closed', async () => {
    const { door } = await startDoor();
    const long = `GET /healthz HTTP/1.1\r\n${HOST}X-Y: ${'y'.repeat(17_000)}\r\n\r\n`;
    expect(await exchange(door.port, long, 1_000)).toMatchObject({ status: 431, closed: true });
    const many = `GET /healthz HTTP/1.1\r\n${HOST}${'X-Y: z\r\n'.repeat(3_000)}\r\n`;
    expect(await exchange(door.port, many, 1_000)).toMatchObject({ status: 431, closed: true });
  });

  it('that come too slowly are not waited for, nor is a connection that says nothing', async () => {
    const { door } = await startDoor({}, { timing: { headersMs: 200 } });
    const slow = dial(door.port);
    slow.write('GET /healthz HTTP/1.1\r\nHost: ');
    const trickle = setInterval(() => slow.write('x'), 50);
    const silent = dial(door.port);
    const [late, mute] = await Promise.all([listenTo(slow, 5_000), listenTo(silent, 5_000)]);
    clearInterval(trickle);
    expect(late).toMatchObject({ status: 408, closed: true });
    expect(mute.closed).toBe(true);
  });

  it('that are answered before their body has come end with their connection when the body drips', async () => {
    const { door } = await startDoor();
    const drip = async (head: string): Promise<void> => {
      const socket = dial(door.port);
      socket.write(`${head} HTTP/1.1\r\n${HOST}Content-Length: 60000\r\n\r\n`);
      const dripping = setInterval(() => socket.write('x'), 50);
      const answer = await listenTo(socket, 5_000);
      clearInterval(dripping);
      expect([head, answer.closed]).toEqual([head, true]);
      expect(answer.status).toBeGreaterThan(0);
    };
    await Promise.all(['POST /api/sessions', 'GET /nowhere', 'GET /healthz'].map(drip));
  });

  it('that a thousand others never finish keep nobody waiting', async () => {
    const { door } = await startDoor();
    const sockets = Array.from({ length: 1_000 }, () => dial(door.port));
    for (const socket of sockets) socket.write('GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-');
    const times: number[] = [];
    for (let count = 0; count < 100; count++) {
      const begun = performance.now();
      expect((await fetch(`${door.url}/healthz`)).status).toBe(200);
      times.push(performance.now() - begun);
    }
    expect(times.sort((a, b) => a - b)[50]).toBeLessThan(250);
  });
});

describe('a connection', () => {
  it('on which nothing is asked any more is closed', async () => {
    const { door } = await startDoor({}, { timing: { idleMs: 100 } });
    const answer = await exchange(door.port, NEXT, 3_000);
    expect(answer).toMatchObject({ status: 200, closed: true });
  });
});

describe('a method', () => {
  it('that a path does not have is refused with those that it has', async () => {
    const { door } = await startDoor();
    const ask = (method: string, path: string) =>
      exchange(door.port, request(`${method} ${path}`, { host: 'localhost', connection: 'close' }));
    expect(await ask('PUT', '/healthz')).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
    expect(await ask('DELETE', '/api/sessions')).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD, POST' },
    });
    expect(await ask('POST', '/api/sessions/x')).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD, PATCH, DELETE' },
    });
    expect(await ask('TRACE', '/api/me')).toMatchObject({ status: 405 });
    expect(await ask('PURGE', '/api/me')).toMatchObject({ status: 405 });
    expect(await ask('PUT', '/nothing')).toMatchObject({ status: 404 });
    expect((await ask('CONNECT', '127.0.0.1:22')).status).toBe(0);
    const options = await ask('OPTIONS', '/api/sessions');
    expect(options).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD, POST' } });
    expect(Object.keys(options.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('HEAD gives the headers of GET and nothing else, also where GET would never end', async () => {
    const door = await startDoor();
    const { id } = await door.begin();
    const head = (path: string, headers = {}) =>
      exchange(
        door.door.port,
        request(`HEAD ${path}`, {
          host: 'localhost',
          connection: 'close',
          authorization: `Bearer ${door.token}`,
          ...headers,
        }),
        2_000,
      );
    const plain = await head('/healthz');
    expect(plain).toMatchObject({ status: 200, body: '', closed: true });
    expect(plain.headers['content-length']).toBe('3');
    expect(await head('/api/feed')).toMatchObject({ status: 200, body: '', closed: true });
    const events = await head(`/api/sessions/${id}/events`, { accept: 'text/event-stream' });
    expect(events).toMatchObject({ status: 200, body: '', closed: true });
    expect(door.gateway.feed.followers).toBe(0);
  });

  it('cannot be changed by a header or a parameter', async () => {
    const door = await startDoor();
    const { id } = await door.begin();
    const answer = await door.call(
      'POST',
      `/api/sessions/${id}/stop?_method=DELETE`,
      {},
      { 'x-http-method-override': 'DELETE' },
    );
    expect(answer.status).toBe(400);
    expect((await door.store.sessions.get(id))?.closed).toBe(false);
  });
});
