import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { noteReached, waitForChance } from '../src/api/wait.ts';

const LONG_MS = 600_000;
let gone: AbortController;

beforeEach(() => {
  gone = new AbortController();
  vi.stubGlobal('window', new EventTarget());
  vi.stubGlobal('document', Object.assign(new EventTarget(), { visibilityState: 'visible' }));
});
afterEach(() => {
  gone.abort();
  vi.unstubAllGlobals();
});

/** Whether the wait has settled by itself. */
async function hasSettled(wait: Promise<void>): Promise<boolean> {
  return Promise.race([wait.then(() => true), setImmediate(false)]);
}

it('a request that could not reach the gateway is tried when another one reaches it', async () => {
  const wait = waitForChance(LONG_MS, gone.signal);
  expect(await hasSettled(wait)).toBe(false);
  noteReached();
  expect(await hasSettled(wait)).toBe(true);
});

it('a request that the gateway has refused waits its time, whatever else reaches it', async () => {
  const wait = waitForChance(LONG_MS, gone.signal, { turnedAway: true });
  noteReached();
  expect(await hasSettled(wait)).toBe(false);
  window.dispatchEvent(new Event('online'));
  expect(await hasSettled(wait)).toBe(true);
});
