import { connect } from 'node:net';
import type { Store } from '@plugboard/store';
import { describe, expect, it } from 'vitest';
import type { Logger } from '../../src/log.ts';
import { watchLoopDelay } from '../../src/loop-delay.ts';
import { startDoor } from './door.ts';

interface Line {
  readonly level: string;
  readonly message: string;
}

function memoryLog(): { lines: Line[]; log: Logger } {
  const lines: Line[] = [];
  const note = (level: string) => (message: string) => void lines.push({ level, message });
  const log = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') };
  return { lines, log };
}

const unknownFields = (count: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, number) => [`field-${number}`, number]));

describe('a request that is wrong in many ways', () => {
  it.each(['/api/login', '/v1/chat/completions', '/v1/responses', '/api/sessions'])(
    'to %s is refused in a short text, and holds nobody up',
    async (path) => {
      const door = await startDoor();
      await door.call('POST', path, unknownFields(10));
      const started = process.threadCpuUsage();
      const response = await door.call('POST', path, unknownFields(40_000));
      const { user } = process.threadCpuUsage(started);
      const text = await response.text();
      expect(response.status).toBe(400);
      expect(text.length).toBeLessThan(1_000);
      expect(user / 1_000).toBeLessThan(400);
    },
  );

  it('is told what is wrong in plain words', async () => {
    const door = await startDoor();
    const wordsOf = async (method: string, path: string, body?: unknown): Promise<string> =>
      ((await (await door.call(method, path, body)).json()) as { error: { message: string } }).error.message;
    const { id } = await door.begin();
    expect(await wordsOf('GET', `/api/sessions/${id}/events?after=-1`)).toBe(
      'The query is not right. "after" must be at least 0.',
    );
    expect(await wordsOf('POST', `/api/sessions/${id}/messages`, {})).toBe(
      'The body is not right. "text" is missing.',
    );
    expect(await wordsOf('POST', `/api/sessions/${id}/messages`, { text: 'hi', id: 'a\0b' })).toBe(
      'The body is not right. "id" is not right: Leave out NUL and halves of characters.',
    );
    let deep: unknown = 'x';
    for (let level = 0; level < 70; level++) deep = [deep];
    expect(await wordsOf('POST', `/api/sessions/${id}/messages`, deep)).toBe(
      'The body is nested deeper than 64 levels.',
    );
    expect(await wordsOf('POST', '/api/login', { code: 7 })).toBe(
      'The body is not right. "code" must be a text.',
    );
    expect(await wordsOf('POST', '/api/tokens', { name: '', scopes: ['chat'], a: 1, b: 2, c: 3, d: 4 })).toBe(
      'The body is not right. "name" must have at least 1 characters. There is no field "a", "b", "c" and 1 others.',
    );
  });
});

describe('a client that leaves in the middle of its body', () => {
  it.each(['/api/sessions', '/api/media?session=SESSION'])(
    'of %s is neither an error in the log nor an answer with 5xx',
    async (path) => {
      const { lines, log } = memoryLog();
      const door = await startDoor({ log });
      const { id } = await door.begin();
      const socket = connect(door.door.port, '127.0.0.1');
      const target = path.replace('SESSION', id);
      socket.write(
        `POST ${target} HTTP/1.1\r\nhost: 127.0.0.1:${door.door.port}\r\nauthorization: Bearer ${door.token}\r\n` +
          'content-type: application/json\r\ncontent-length: 100000\r\n\r\n{"agent":',
      );
      await new Promise((resolve) => socket.once('connect', resolve));
      await new Promise((resolve) => setTimeout(resolve, 50));
      socket.resetAndDestroy();
      const answers = async (): Promise<string> => {
        const metrics = await (await door.call('GET', '/metrics')).text();
        return /requests_total\{status="4xx"\} \d+/.exec(metrics)?.[0] ?? '';
      };
      await expect.poll(answers).toBe('requests_total{status="4xx"} 1');
      const metrics = await (await door.call('GET', '/metrics')).text();
      expect(metrics).toContain('plugboard_http_requests_total{status="5xx"} 0');
      expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
    },
  );
});

describe('readiness', () => {
  it('commits once for many who ask, and logs once why the store fails and once that it works', async () => {
    const { lines, log } = memoryLog();
    let time = 0;
    let checks = 0;
    let broken = false;
    const storeFor = (store: Store): Store => ({
      ...store,
      async check() {
        checks += 1;
        if (broken) throw new Error('The file is damaged.');
      },
    });
    const door = await startDoor({ log, storeFor }, { now: () => time });
    const ready = async (): Promise<number> => (await fetch(`${door.door.url}/readyz`)).status;
    expect(await Promise.all(Array.from({ length: 20 }, ready))).toEqual(Array(20).fill(200));
    expect(checks).toBe(1);
    broken = true;
    time += 1_000;
    expect([await ready(), await ready()]).toEqual([503, 503]);
    time += 1_000;
    expect(await ready()).toBe(503);
    broken = false;
    time += 1_000;
    expect(await ready()).toBe(200);
    const told = lines.filter(({ message }) => message.includes('store'));
    expect(told.map(({ level, message }) => `${level}: ${message}`)).toEqual([
      'error: The store cannot be written to: The file is damaged.',
      'info: The store can be written to again.',
    ]);
  });
});

describe('the delay of the event loop', () => {
  it('is in the metrics', async () => {
    const door = await startDoor();
    const metrics = await (await door.call('GET', '/metrics')).text();
    expect(metrics).toMatch(/plugboard_event_loop_delay_seconds\{quantile="0.99"\} [\d.e-]+/);
  });

  it('is logged when something held the loop up', async () => {
    const { lines, log } = memoryLog();
    const delay = watchLoopDelay(log, 100);
    // The first tick of the histogram has no one before it to be late after.
    await expect.poll(() => delay.seconds.median).toBeGreaterThan(0);
    const until = performance.now() + 400;
    while (performance.now() < until);
    await expect
      .poll(() => lines.map(({ message }) => message), { timeout: 10_000 })
      .toContainEqual(expect.stringMatching(/held up for \d{3,} ms/));
    delay.close();
  });
});

describe('Idempotency-Key', () => {
  it('names a message: the same again is a duplicate, and something else under it is refused', async () => {
    const door = await startDoor();
    const { id } = await door.begin();
    const say = (text: string, key: string) =>
      door.call('POST', `/api/sessions/${id}/messages`, { text }, { 'idempotency-key': key });
    expect(await (await say('hello', 'k1')).json()).toMatchObject({ duplicate: false });
    expect(await (await say('hello', 'k1')).json()).toMatchObject({ duplicate: true });
    expect((await say('something else', 'k1')).status).toBe(409);
    expect(await (await say('hello', 'k2')).json()).toMatchObject({ duplicate: false });
    expect((await say('hello', 'k'.repeat(201))).status).toBe(400);
  });
});

describe('searches of one token', () => {
  it('are refused beyond two at a time, and others are answered', async () => {
    const { lines, log } = memoryLog();
    const holding: (() => void)[] = [];
    const storeFor = (store: Store): Store => ({
      ...store,
      sessions: {
        ...store.sessions,
        async list(options) {
          if (options.search === 'slow') await new Promise<void>((resolve) => holding.push(resolve));
          return store.sessions.list(options);
        },
      },
    });
    const door = await startDoor({ log, storeFor });
    const search = (words: string, token = door.token) =>
      fetch(`${door.door.url}/api/sessions?search=${words}`, {
        headers: { authorization: `Bearer ${token}` },
      });
    const slow = [search('slow'), search('slow')];
    await expect.poll(() => holding.length).toBe(2);
    const third = await search('quick');
    expect([third.status, third.headers.get('retry-after')]).toEqual([429, '1']);
    expect((await search('quick', await door.tokenWith(['chat']))).status).toBe(200);
    for (const release of holding) release();
    expect((await Promise.all(slow)).map(({ status }) => status)).toEqual([200, 200]);
    expect((await search('quick')).status).toBe(200);
    expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
