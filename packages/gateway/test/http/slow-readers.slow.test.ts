import { until } from '@plugboard/testkit';
import { expect, it, vi } from 'vitest';
import { startDoor } from './door.ts';
import { dial, request } from './raw.ts';
import { readStream } from './stream-client.ts';

const EVENTS = 120;
const SILENT = 40;

it('dozens of clients that never read cost little, are cut off, and keep nobody else waiting', async () => {
  const door = await startDoor({}, { timing: { stallMs: 8_000 } });
  const { id } = await door.begin();
  const headers = { authorization: `Bearer ${door.token}` };
  const path = `/api/sessions/${id}/events`;
  const say = async (at: number): Promise<void> => {
    const { event } = await door.store.log.note(id, {
      id: String(at),
      event: { type: 'notice', text: 'x'.repeat(60_000) },
    });
    door.gateway.feed.publish(id, [event]);
  };
  for (let at = 0; at < EVENTS / 2; at++) await say(at);
  const before = process.memoryUsage();
  for (let count = 0; count < SILENT; count++) {
    const socket = dial(door.door.port);
    socket.pause();
    socket.write(request(`GET ${path}`, { host: 'localhost', accept: 'text/event-stream', ...headers }));
  }
  await vi.waitFor(() => expect(door.gateway.feed.followers).toBe(SILENT), 10_000);
  const numbers: number[] = [];
  const reader = (async () => {
    for await (const { event, id: number } of readStream(`${door.door.url}${path}`, headers)) {
      if (event === 'event') numbers.push(Number(number));
      if (numbers.length === EVENTS) return;
    }
  })();
  for (let at = EVENTS / 2; at < EVENTS; at++) await say(at);
  await reader;
  const { arrayBuffers } = process.memoryUsage();
  expect(arrayBuffers - before.arrayBuffers).toBeLessThan(SILENT * 1_048_576);
  expect(numbers).toEqual(Array.from({ length: EVENTS }, (_none, at) => at + 1));
  await until(() => Promise.resolve(door.gateway.feed.followers === 0), 'all to be cut off', 20_000);
  const again: number[] = [];
  for await (const { event, id: number } of readStream(`${door.door.url}${path}`, {
    ...headers,
    'last-event-id': '110',
  })) {
    if (event === 'event') again.push(Number(number));
    if (again.length === 10) break;
  }
  expect(again[0]).toBe(111);
  await until(
    () => {
      globalThis.gc?.();
      return Promise.resolve(process.memoryUsage().arrayBuffers - before.arrayBuffers < 30 * 1_048_576);
    },
    'the memory to come back',
    10_000,
  );
});
