import { describe, expect, it } from 'vitest';
import { type Door, sharedDoor, startDoor } from './door.ts';
import { dial, exchange, listenTo, request } from './raw.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

function post(
  door: Door,
  path: string,
  headers: Record<string, string>,
  body: string | Buffer = '',
  quietMs = 60,
) {
  const own = { host: '127.0.0.1', authorization: `Bearer ${door.token}` };
  const length = 'transfer-encoding' in headers ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const head = request(`POST ${path}`, { ...own, ...length, ...headers });
  return exchange(door.door.port, Buffer.concat([Buffer.from(head), Buffer.from(body)]), quietMs);
}

describe('a body', () => {
  const shared = sharedDoor();
  const sessions = async () => (await shared().store.sessions.list({ limit: 100 })).length;

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'text/json',
    'application/json+evil',
    '',
  ])('that calls itself %j is not taken for JSON', async (type) => {
    const door = shared();
    const before = await sessions();
    expect((await post(door, '/api/sessions', { 'content-type': type }, '{}')).status).toBe(415);
    expect(await sessions()).toBe(before);
  });

  it.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset=x',
  ])('may call itself %s', async (type) => {
    expect((await post(shared(), '/api/sessions', { 'content-type': type }, '{}')).status).toBe(201);
  });

  it('that is a form is no file', async () => {
    const door = shared();
    const { id } = await door.begin();
    for (const type of ['multipart/form-data; boundary=x', 'application/x-www-form-urlencoded']) {
      expect((await post(door, `/api/media?session=${id}`, { 'content-type': type }, 'x')).status).toBe(415);
    }
  });

  it('that is a form reaches a channel, which checks its signature', async () => {
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await post(shared(), '/hooks/none', type, 'payload=x')).status).toBe(404);
  });

  it('that is compressed is not read', async () => {
    const door = shared();
    const coded = { ...JSON_TYPE, 'content-encoding': 'gzip' };
    expect((await post(door, '/api/sessions', coded, '{}')).status).toBe(415);
  });

  it.each([
    ['no JSON', 'not json'],
    ['half of it', '{"agent": "ec'],
    ['another kind of value', '[]'],
    ['null', 'null'],
    ['a depth bomb', `{"agent":${'['.repeat(10_000)}${']'.repeat(10_000)}}`],
    ['a field that is not known', '{"admin": true}'],
    ['a prototype', '{"__proto__": {"agent": "echo"}}'],
    ['a field of another kind', '{"agent": ["echo"]}'],
    ['NUL in a name', '{"place": "a\\u0000"}'],
    ['half a character in a name', '{"place": "a\\ud800"}'],
    ['bytes that are no text', Buffer.from('{"place":"a\xff\xfe"}', 'latin1')],
  ])('of %s is refused as a whole', async (_what, body) => {
    const door = shared();
    const before = await sessions();
    const answer = await post(door, '/api/sessions', JSON_TYPE, body);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code: 'invalid' } });
    expect(await sessions()).toBe(before);
  });
});

describe('a body that is too large', () => {
  const small = { server: { bodyBytes: 100_000 } };

  it('is refused by its announced length, before it is sent, and the connection is closed', async () => {
    const door = await startDoor(small);
    const head = {
      host: '127.0.0.1',
      authorization: `Bearer ${door.token}`,
      ...JSON_TYPE,
      'content-length': '100001',
    };
    const socket = dial(door.door.port);
    socket.write(request('POST /api/sessions', head));
    const answer = await listenTo(socket, 3_000);
    expect(answer).toMatchObject({ status: 413, closed: true });
    expect(answer.headers.connection).toBe('close');
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code: 'too-large' } });
  });

  it('is refused while it comes in pieces, and what follows is not taken for a request', async () => {
    const door = await startDoor(small);
    const piece = `4000\r\n${'x'.repeat(0x4000)}\r\n`.repeat(8);
    const smuggled = `${piece}0\r\n\r\n${request('GET /healthz', { host: '127.0.0.1' })}`;
    const answer = await post(
      door,
      '/api/sessions',
      { ...JSON_TYPE, 'transfer-encoding': 'chunked' },
      smuggled,
    );
    expect(answer).toMatchObject({ status: 413, closed: true });
    expect(answer.text.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  it('does not keep a client from seeing why, which sends everything first', async () => {
    const door = await startDoor(small);
    const response = await door.call('POST', '/api/sessions', { agent: 'x'.repeat(3_000_000) });
    expect(response.status).toBe(413);
  });

  it('is not read to its end when it was not wanted for another reason', async () => {
    const door = await startDoor();
    const head = { host: '127.0.0.1', ...JSON_TYPE, 'content-length': '1000000' };
    const answer = await exchange(door.door.port, request('POST /api/sessions', head), 3_000);
    expect(answer).toMatchObject({ status: 401, closed: true });
  });
});

describe('a body that comes too slowly', () => {
  it('is not waited for', async () => {
    const door = await startDoor({}, { timing: { bodyMs: 100 } });
    const head = {
      host: '127.0.0.1',
      authorization: `Bearer ${door.token}`,
      ...JSON_TYPE,
      'content-length': '100000',
    };
    const answer = await exchange(door.door.port, request('POST /api/sessions', head, '{'), 3_000);
    expect(answer).toMatchObject({ status: 408, closed: true });
  });
});

describe('a connection', () => {
  it('goes on after a small request was refused', async () => {
    const door = await startDoor();
    const refused = request(
      'POST /api/sessions',
      { host: '127.0.0.1', ...JSON_TYPE, 'content-length': '2' },
      '{}',
    );
    const asked = request('GET /healthz', { host: '127.0.0.1', connection: 'close' });
    const answer = await exchange(door.door.port, refused + asked, 1_000);
    expect(answer.text.match(/HTTP\/1\.1 (\d+)/g)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 200']);
  });
});
