import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { NASTY_NAMES } from '../media/nasty-names.ts';
import { type Door, sharedDoor, startDoor } from './door.ts';
import { dial, listenTo, request } from './raw.ts';

const PNG = Buffer.from('89504e470d0a1a0a0001020304050607', 'hex');

interface Shown {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly kind: string;
  readonly url: string;
  readonly size: number;
}

async function upload(
  door: Door,
  body: Uint8Array<ArrayBuffer> | string,
  name: string,
  type: string,
): Promise<Response> {
  const session = await door.begin();
  return fetch(
    `${door.door.url}/api/media?session=${session.id}&name=${encodeURIComponent(name.toWellFormed())}`,
    {
      method: 'POST',
      headers: { authorization: `Bearer ${door.token}`, 'content-type': type },
      body,
    },
  );
}

it('an upload needs a content type, which a form cannot leave out nor choose', async () => {
  const door = await startDoor();
  const session = await door.begin();
  const send = (headers: Record<string, string>): Promise<Response> =>
    fetch(`${door.door.url}/api/media?session=${session.id}&name=a.png`, {
      method: 'POST',
      headers: { authorization: `Bearer ${door.token}`, ...headers },
      body: PNG,
    });
  for (const type of ['multipart/form-data; boundary=x', 'application/x-www-form-urlencoded'])
    expect((await send({ 'content-type': type })).status).toBe(415);
  expect((await send({})).status).toBe(415);
  expect((await send({ 'content-type': 'image/png' })).status).toBe(201);
});

const filesOf = ({ directory }: Door): string[] => readdirSync(join(directory, 'media'));

describe('a file that could hold a script', () => {
  const shared = sharedDoor();

  it.each([
    ['a.svg', 'image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
    ['a.html', 'text/html', '<script>alert(1)</script>'],
    ['a.png', 'image/png', '<script>alert(1)</script>'],
    ['a.pdf', 'application/pdf', '%PDF-1.4'],
    ['a.xhtml', 'application/xhtml+xml', '<html xmlns="http://www.w3.org/1999/xhtml"/>'],
    ['a.js', 'text/javascript', 'alert(1)'],
  ])('is saved and never shown: %s as %s', async (name, type, content) => {
    const { url } = (await (await upload(shared(), content, name, type)).json()) as Shown;
    const { headers } = await shared().call('GET', url);
    expect(headers.get('content-disposition')).toMatch(/^attachment; /);
    expect(headers.get('content-type')).toMatch(
      /^(text\/plain; charset=utf-8|application\/octet-stream|application\/pdf)$/,
    );
    expect(headers.get('content-security-policy')).toContain('sandbox');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });
});

describe('the name of a file', () => {
  const shared = sharedDoor();

  it.each(NASTY_NAMES)('comes back as one header that says nothing else: %j', async (name) => {
    const media = (await (await upload(shared(), PNG, name, 'image/png')).json()) as Shown;
    const answer = await shared().call('GET', media.url);
    expect(answer.headers.get('content-disposition')).toMatch(
      /^inline; filename\*=UTF-8''[A-Za-z0-9\-._~%]+$/,
    );
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(answer.headers.get('content-type')).toBe('image/png');
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(PNG);
  });
});

describe('an upload', () => {
  it.each([
    ['announced', true],
    ['in pieces', false],
  ])('that is too large, %s, is refused, and nothing is left of it', async (_how, announced) => {
    const door = await startDoor({ server: { mediaBytes: 100_000 } });
    const { id } = await door.begin();
    const body = Buffer.alloc(400_000);
    const stream = new ReadableStream({
      start(controller) {
        for (let at = 0; at < 40; at++) controller.enqueue(body.subarray(at * 10_000, (at + 1) * 10_000));
        controller.close();
      },
    });
    const answer = await fetch(`${door.door.url}/api/media?session=${id}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${door.token}`, 'content-type': 'image/png' },
      ...(announced ? { body } : { body: stream, duplex: 'half' }),
    } as RequestInit);
    expect([answer.status, answer.headers.get('connection')]).toEqual([413, 'close']);
    expect(filesOf(door)).toEqual([]);
  });

  it('that is broken off leaves nothing', async () => {
    const door = await startDoor();
    const { id } = await door.begin();
    const socket = dial(door.door.port);
    const head = {
      host: 'localhost',
      authorization: `Bearer ${door.token}`,
      'content-type': 'image/png',
      'content-length': '500000',
    };
    socket.write(request(`POST /api/media?session=${id}`, head, 'x'.repeat(100_000)));
    await expect.poll(() => filesOf(door).length).toBe(1);
    expect(filesOf(door)[0]).toMatch(/\.part$/);
    socket.destroy();
    await expect.poll(() => filesOf(door)).toEqual([]);
  });

  it('that stops coming is not waited for, and leaves nothing', async () => {
    const door = await startDoor({}, { timing: { bodyMs: 100 } });
    const { id } = await door.begin();
    const socket = dial(door.door.port);
    const head = {
      host: 'localhost',
      authorization: `Bearer ${door.token}`,
      'content-type': 'image/png',
      'content-length': '500000',
    };
    socket.write(request(`POST /api/media?session=${id}`, head, 'x'));
    expect(await listenTo(socket, 3_000)).toMatchObject({ status: 408, closed: true });
    expect(filesOf(door)).toEqual([]);
  });
});

describe('a download', () => {
  const shared = sharedDoor();

  async function ask(headers: Record<string, string>, method = 'GET') {
    const { url } = (await (await upload(shared(), PNG, 'a.png', 'image/png')).json()) as Shown;
    return shared().call(method, url, undefined, headers);
  }

  it('gives the part that is asked for, as players want it', async () => {
    const part = await ask({ range: 'bytes=8-11' });
    expect([part.status, part.headers.get('content-range'), part.headers.get('content-length')]).toEqual([
      206,
      'bytes 8-11/16',
      '4',
    ]);
    expect(Buffer.from(await part.arrayBuffer())).toEqual(PNG.subarray(8, 12));
    const beyond = await ask({ range: 'bytes=99-' });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */16']);
    const whole = await ask({ range: 'bytes=0-3,8-9' });
    expect([whole.status, (await whole.arrayBuffer()).byteLength]).toEqual([200, 16]);
  });

  it('is asked for again each time, and not sent again', async () => {
    const { url } = (await (await upload(shared(), PNG, 'a.png', 'image/png')).json()) as Shown;
    const first = await shared().call('GET', url);
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    const again = await shared().call('GET', url, undefined, {
      'if-none-match': first.headers.get('etag') ?? '',
    });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  it('by HEAD has the length and no bytes', async () => {
    const head = await ask({}, 'HEAD');
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '16', '']);
  });

  it('of a file whose bytes are gone finds nothing', async () => {
    const media = (await (await upload(shared(), PNG, 'a.png', 'image/png')).json()) as Shown;
    const { rmSync } = await import('node:fs');
    rmSync(join(shared().directory, 'media', `${media.id}.png`));
    expect((await shared().call('GET', media.url)).status).toBe(404);
  });

  it('of an empty file is empty', async () => {
    const { url } = (await (await upload(shared(), '', 'a.txt', 'text/plain')).json()) as Shown;
    const answer = await shared().call('GET', url);
    expect([answer.status, await answer.text()]).toEqual([200, '']);
  });
});

it('a file is closed when a client has taken nothing of it for a while', async () => {
  const door = await startDoor({ server: { mediaBytes: 32 * 1024 * 1024 } }, { timing: { stallMs: 300 } });
  // More than the buffers of a connection hold.
  const sent = await upload(door, Buffer.alloc(24 * 1024 * 1024), 'a.bin', 'application/octet-stream');
  const { url } = (await sent.json()) as { url: string };
  const opened = () => openFiles(join(door.directory, 'media'));
  await until(() => opened() === 0, 'the upload to be closed');
  const socket = dial(door.door.port);
  socket.pause();
  socket.write(request(`GET ${url}`, { host: '127.0.0.1', authorization: `Bearer ${door.token}` }));
  await until(() => opened() === 1, 'the file to be opened');
  await until(() => opened() === 0, 'the file to be closed', 5_000);
});

/** The number of files below a directory that this process has open. */
function openFiles(directory: string): number {
  const targets = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return '';
    }
  });
  return targets.filter((target) => target.startsWith(`${directory}/`)).length;
}
