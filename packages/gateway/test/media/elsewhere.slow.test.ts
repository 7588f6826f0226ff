import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Media } from '@plugboard/store';
import { type FakeS3, startFakeS3, temporaryDirectory, until } from '@plugboard/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { MediaConfig } from '../../src/config/media-place.ts';
import { Secret } from '../../src/config/secret.ts';
import { forgetOld } from '../../src/retention.ts';
import { createFakeChannel } from '../delivery/fake-channel.ts';
import { brief, type Setting, worker } from '../harness.ts';
import { type Door, startDoor } from '../http/door.ts';
import { noise } from './contract/media-files.ts';

const agents = (at: string) => [worker('one', 'terminal', at), worker('stays', 'nuum', at)];

async function startBucket(): Promise<{ s3: FakeS3; media: MediaConfig }> {
  const s3 = await startFakeS3();
  onTestFinished(() => s3[Symbol.asyncDispose]());
  const { url: endpoint, bucket, keys } = s3;
  const accessKey = new Secret(keys.accessKey);
  const secretKey = new Secret(keys.secretKey);
  const rest = { region: 'us-east-1', prefix: 'media/', addressing: 'path' } as const;
  return { s3, media: { s3: { endpoint, bucket, ...rest, accessKey, secretKey } } };
}

async function upload(door: Door, session: string, bytes: Buffer, name = 'a.bin'): Promise<Response> {
  return fetch(`${door.door.url}/api/media?session=${session}&name=${name}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${door.token}`, 'content-type': 'application/octet-stream' },
    body: new Uint8Array(bytes),
  });
}

const filesIn = ({ objects }: FakeS3): string[] =>
  [...objects.keys()].filter((key) => key.startsWith('media/') && !/store\.txt|check-/.test(key));

/** Says something with a file, and gives the text of the answer. */
async function askWith(door: Door, sessionId: string, media: string, text: string): Promise<string[]> {
  const session = await door.store.sessions.get(sessionId);
  if (session === undefined) throw new Error('There is no such session.');
  await door.call('POST', `/api/sessions/${sessionId}/messages`, { text, attachments: [{ media }] });
  await door.idle(session);
  return brief(await door.log(session)).filter((line) => line.startsWith('message: '));
}

describe('a gateway whose files are in a bucket', () => {
  it('takes uploads, gives them back by ranges, and to agents by paths', async () => {
    const { s3, media } = await startBucket();
    const door = await startDoor({ agents, media, server: { mediaBytes: 32 * 1024 ** 2 } });
    const { id } = await door.begin('one');
    const bytes = noise(9 * 1024 ** 2);
    const sent = (await (await upload(door, id, bytes)).json()) as { id: string; url: string; size: number };
    expect(sent.size).toBe(bytes.length);
    expect(filesIn(s3)).toEqual([`media/${sent.id}.bin`]);
    const whole = await door.call('GET', sent.url);
    expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true);
    const part = await door.call('GET', sent.url, undefined, { range: 'bytes=100-1099' });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 100-1099/${bytes.length}`]);
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(100, 1_100))).toBe(true);
    const head = await door.call('HEAD', sent.url);
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)]);
    const [answer = ''] = await askWith(door, id, sent.id, 'attached');
    const path = answer.replace(/^message: \S+ /, '');
    expect(path).toBe(join(door.directory, 'media-copies', `${sent.id}.bin`));
    expect(createHash('md5').update(readFileSync(path)).digest('hex')).toBe(
      createHash('md5').update(bytes).digest('hex'),
    );
    expect(existsSync(join(door.directory, 'media'))).toBe(false);
  });

  it('keeps files of agents there, and hands them to channels', async () => {
    const { s3, media } = await startBucket();
    const read: string[] = [];
    const fake = createFakeChannel();
    const channel = {
      ...fake,
      send: (async (place, body, context) => {
        read.push(...body.media.map(({ path = '' }) => readFileSync(path, 'utf8')));
        return fake.send(place, body, context);
      }) satisfies typeof fake.send,
    };
    const door = await startDoor({ agents, media, channels: [channel] });
    const session = await door.store.sessions.open({ channel: 'fake', place: 'p', agent: 'one' });
    await door.say(session, 'file note.txt');
    await until(() => read.length > 0, 'the file to be sent');
    expect(read).toEqual(['made by the agent']);
    expect(filesIn(s3).map((key) => s3.objects.get(key)?.toString())).toEqual(['made by the agent']);
  });

  it('removes files and copies with their sessions, later if the bucket is away', async () => {
    const { s3, media } = await startBucket();
    const logged: string[] = [];
    const log = { debug() {}, info() {}, warn() {}, error: (text: string) => void logged.push(text) };
    const door = await startDoor({ agents, media, log });
    const { id } = await door.begin('one');
    const sent = (await (await upload(door, id, Buffer.from('secret words'))).json()) as Media;
    await askWith(door, id, sent.id, 'attached');
    const copies = join(door.directory, 'media-copies');
    expect(readdirSync(copies)).toHaveLength(1);
    const { store, media: files, recordings, agents: running } = door.gateway;
    const forget = () =>
      forgetOld({ store, media: files, recordings, agents: running, log, days: () => 1 / 86_400_000 });
    s3.trouble(
      { status: 400, body: '<Error><Code>Broken</Code></Error>' },
      ({ method, path }) => method === 'DELETE' && path.includes(sent.id),
    );
    await until(async () => (await forget()) === 1, 'the session to be old enough');
    expect(readdirSync(copies)).toEqual([]);
    expect(logged).toEqual([
      expect.stringMatching(/^1 files of forgotten sessions are not removed yet: .*Broken/),
    ]);
    expect(filesIn(s3)).toHaveLength(1);
    await forget();
    expect(filesIn(s3)).toEqual([]);
  });

  it('starts and answers while the bucket cannot be reached, and says so', async () => {
    const { s3, media } = await startBucket();
    await s3.down();
    const codes: unknown[] = [];
    const note = (_text: string, fields?: object): void =>
      void codes.push((fields as { code?: string })?.code);
    const log = { debug() {}, info: note, warn: note, error: note };
    const door = await startDoor({ agents, media, log });
    await until(() => codes.includes('media-failing'), 'the log to say so');
    const ready = await fetch(`${door.door.url}/readyz`);
    expect([ready.status, await ready.text()]).toEqual([
      200,
      'ready\nfiles can be neither kept nor read now\n',
    ]);
    const session = await door.session('hall', 'one');
    expect(brief(await door.ask(session, 'who'))).toContain('end success');
    await s3.up();
    expect((await upload(door, session.id, Buffer.from('a'))).status).toBe(201);
  });

  it('answers 503 to uploads and downloads while the bucket refuses, and names no key', async () => {
    const { s3, media } = await startBucket();
    const door = await startDoor({ agents, media });
    const { id } = await door.begin('one');
    const sent = (await (await upload(door, id, Buffer.from('a'))).json()) as { url: string };
    s3.trouble({ status: 403, body: '<Error><Code>AccessDenied</Code></Error>' }, () => true, 1_000);
    for (const answer of [await upload(door, id, Buffer.from('b')), await door.call('GET', sent.url)]) {
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '10']);
      expect(await answer.text()).toContain('Files can be neither kept nor read now. Try again.');
    }
  });

  it('steers messages into a turn in their order, also when a file takes long to fetch', async () => {
    const { s3, media } = await startBucket();
    const door = await startDoor({ agents: (at) => [worker('stays', 'nuum', at)], media });
    const { id } = await door.begin('stays');
    const sent = (await (await upload(door, id, Buffer.from('a'))).json()) as Media;
    const send = (text: string, attachments: object[] = []): Promise<Response> =>
      door.call('POST', `/api/sessions/${id}/messages`, { text, attachments });
    await send('wait 20000');
    await until(async () => {
      const view = (await (await door.call('GET', `/api/sessions/${id}`)).json()) as { steerable: boolean };
      return view.steerable;
    }, 'the turn to take more in');
    const isFile = ({ method, path }: { method: string; path: string }): boolean =>
      method === 'GET' && path.includes(sent.id);
    s3.trouble({ delayMs: 500 }, isFile);
    const first = send('look', [{ media: sent.id }]);
    await until(() => s3.calls.some(isFile), 'the file to be fetched');
    await Promise.all([first, send('never mind')]);
    const session = await door.store.sessions.get(id);
    if (session === undefined) throw new Error('There is no such session.');
    const steered = async (): Promise<number> =>
      (await door.log(session)).flatMap(({ event }) => (event.type === 'steered' ? (event.inputs ?? []) : []))
        .length;
    // The agent hears as one what comes in one breath, and "enough" only by itself.
    await until(async () => (await steered()) === 2, 'the agent to hear both');
    await send('enough');
    await door.idle(session);
    const texts = (await door.log(session)).flatMap(({ event }) =>
      event.type === 'end' ? [event.text] : [],
    );
    const [text] = texts;
    expect(text).toMatch(/^heard: look.*never mind, enough$/s);
    expect(text).toContain(join(door.directory, 'media-copies', `${sent.id}.bin`));
  });

  it('tells the agent which file it could not read', async () => {
    const { s3, media } = await startBucket();
    const door = await startDoor({ agents, media });
    const { id } = await door.begin('one');
    const sent = (await (await upload(door, id, Buffer.from('a'), 'photo.bin')).json()) as Media;
    s3.trouble({ status: 403, body: '<Error><Code>AccessDenied</Code></Error>' }, () => true, 1_000);
    expect(await askWith(door, id, sent.id, 'attached')).toEqual([
      'message: attached\n[photo.bin was left out: it cannot be read now.]',
    ]);
  });
});

describe('what no record names', () => {
  const old = Date.now() - 7_200_000;

  it('is removed from a bucket once it is old, and nothing else is', async () => {
    const { s3, media } = await startBucket();
    const made = { storeFor: (store) => ({ ...store, createdAt: 1 }) } satisfies Setting;
    const door = await startDoor({ agents, media, ...made });
    const { id } = await door.begin('one');
    const sent = (await (await upload(door, id, Buffer.from('a'))).json()) as Media;
    s3.setObject(`media/${sent.id}.bin`, Buffer.from('a'), old);
    const orphan = 'o'.repeat(24);
    const strange = ['media/holiday.jpg', 'media/2024/accounts.xlsx', `other/${orphan}.bin`];
    for (const key of [`media/${orphan}.bin`, 'media/check-abcdefghijkl', ...strange])
      s3.setObject(key, Buffer.from('a'), old);
    s3.setObject(`media/${'f'.repeat(24)}.bin`, Buffer.from('a'));
    await door.gateway.media.sweep();
    const left = [
      `media/${sent.id}.bin`,
      `media/${'f'.repeat(24)}.bin`,
      'media/plugboard-store.txt',
      ...strange,
    ];
    // Without the file of the check that runs when the gateway starts.
    const isOther = (key: string): boolean => !key.includes('check-') || key.endsWith('abcdefghijkl');
    expect([...s3.objects.keys()].filter(isOther).sort()).toEqual(left.sort());
  });

  it('is left when the bucket has files of another store', async () => {
    const { s3, media } = await startBucket();
    s3.setObject('media/plugboard-store.txt', Buffer.from('12345\n'));
    const theirs = `media/${'t'.repeat(24)}.bin`;
    s3.setObject(theirs, Buffer.from('a'), old);
    const warnings: string[] = [];
    const log = { debug() {}, info() {}, warn: (text: string) => void warnings.push(text), error() {} };
    const made = { storeFor: (store) => ({ ...store, createdAt: 1 }) } satisfies Setting;
    await startDoor({ agents, media, log, ...made });
    await until(() => warnings.length > 0, 'a warning');
    expect(warnings[0]).toContain('has files of another store');
    expect(s3.objects.has(theirs)).toBe(true);
  });
});

it('gateways with a directory in common read what the other took in, wherever each has it', async () => {
  using shared = temporaryDirectory();
  const directory = join(shared.path, 'files');
  await mkdir(directory);
  const door = await startDoor({ agents, media: { directory } });
  const { id } = await door.begin('one');
  const sent = (await (await upload(door, id, Buffer.from('hello'))).json()) as Media;
  expect(readdirSync(directory).filter((name) => name.endsWith('.bin'))).toEqual([`${sent.id}.bin`]);
  const [answer = ''] = await askWith(door, id, sent.id, 'attached');
  expect(answer).toBe(`message: ${sent.id}.bin: ${join(directory, `${sent.id}.bin`)}`);
});
