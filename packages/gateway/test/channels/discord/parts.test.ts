import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { onTestEnd, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { createIdentifyLimit } from '../../../src/channels/discord/identify-limit.ts';
import { createRest } from '../../../src/channels/discord/rest.ts';
import { createSequence } from '../../../src/channels/discord/sequence.ts';
import { systemClock } from '../../../src/clock.ts';
import { Secret } from '../../../src/config/secret.ts';
import { createFakeClock } from '../../fake-clock.ts';

describe('the sequence of a gateway session', () => {
  it('is kept up to the first event that is not', () => {
    const sequence = createSequence(3);
    expect(sequence.begin(3)).toBeUndefined();
    const [four, five] = [sequence.begin(4), sequence.begin(5)];
    expect(sequence.begin(4)).toBeUndefined();
    expect(sequence.kept).toBe(3);
    five?.();
    expect(sequence.kept).toBe(3);
    four?.();
    expect(sequence.kept).toBe(5);
    sequence.begin(9)?.();
    expect(sequence.kept).toBe(9);
  });
});

describe('the limit of new sessions', () => {
  it('waits longer from one to the next, and five minutes at most', async () => {
    const clock = createFakeClock();
    const limit = createIdentifyLimit(clock, async () => ({ remaining: 1_000, resetAfterMs: 0 }));
    const times: number[] = [];
    void (async () => {
      for (let count = 0; count < 9; count += 1) {
        await limit.wait(new AbortController().signal);
        times.push(clock.now());
      }
    })();
    await clock.passUntil(() => times.length === 9, 'nine sessions');
    const waits = times.slice(1).map((at, index) => Math.round((at - (times[index] ?? 0)) / 1_000));
    expect(waits).toEqual([5, 10, 20, 40, 80, 160, 300, 300]);
  });

  it('gives up when it is aborted, and begins nothing while the budget cannot be read', async () => {
    const clock = createFakeClock();
    const limit = createIdentifyLimit(clock, () => Promise.reject(new Error('unreachable')));
    const end = new AbortController();
    const waiting = limit.wait(end.signal).then(
      () => 'allowed',
      () => 'aborted',
    );
    await clock.pass(60_000);
    end.abort();
    expect(await waiting).toBe('aborted');
  });
});

describe('a request to Discord', () => {
  it('is made once when the connection is reset', async () => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => {});
      socket.once('data', () => socket.resetAndDestroy());
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    onTestEnd(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const settings = {
      token: new Secret('a.b.c'),
      api: `http://127.0.0.1:${port}/api`,
      message_content: true,
    };
    const rest = createRest({ settings, clock: systemClock });
    onTestEnd(rest.close);
    await expect(rest.api.channels.createMessage('1', { content: 'x' })).rejects.toMatchObject({
      ...{ problem: 'unknown', message: expect.stringContaining('ECONNRESET') },
    });
    expect(sockets).toHaveLength(1);
  });

  it('is aborted, and its connection closed, when the channel stops', async () => {
    const server = createHttpServer((request, response) => {
      if (request.method === 'GET') response.end('{"id":"1"}');
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    onTestEnd(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const settings = {
      token: new Secret('a.b.c'),
      api: `http://127.0.0.1:${port}/api`,
      message_content: true,
    };
    const rest = createRest({ settings, clock: systemClock });
    await rest.api.users.getCurrent();
    const open = (): Promise<number> =>
      new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
    expect(await open()).toBe(1);
    const hanging = rest.api.channels.createMessage('1', { content: 'x' });
    hanging.catch(() => {});
    await until(async () => (await open()) === 2, 'the request');
    rest.close();
    await expect(hanging).rejects.toMatchObject({ problem: 'unknown' });
    await until(async () => (await open()) === 0, 'the connections to be closed', 15_000);
  });
});
