import { expect, it } from 'vitest';
import { failureOf } from '../src/index.ts';
import { startAsking } from './asking.ts';

const NOW = Date.UTC(2026, 0, 1);

function failing(statusCode: number, message: string, responseHeaders = {}) {
  return failureOf(Object.assign(new Error(message), { statusCode, responseHeaders, responseBody: '' }), NOW);
}

it.each([
  [401, 'no', 'refused-key'],
  [403, 'no', 'refused-key'],
  [429, 'no', 'rate-limited'],
  [413, 'no', 'too-long'],
  [400, 'The prompt is too long', 'too-long'],
  [500, 'exceeds the available context size', 'too-long'],
  [504, 'The server took too long to answer', 'overloaded'],
  [408, 'no', 'overloaded'],
  [409, 'no', 'overloaded'],
  [404, 'no such model', 'bad-request'],
  [200, 'terminated', 'broken-off'],
])('classifies a failure by its status and its words: %i %s', (status, message, kind) => {
  expect(failing(status, message).kind).toBe(kind);
});

it.each([
  [{ 'retry-after': '2' }, 2_000],
  [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:03 GMT' }, 3_000],
  [{ 'retry-after-ms': '70', 'retry-after': '2' }, 70],
  [{ 'retry-after': 'soon' }, undefined],
  [{}, undefined],
])('reads how long a provider asks to be left alone: %j', (headers, retryAfterMs) => {
  expect(failing(429, 'no', headers).retryAfterMs).toBe(retryAfterMs);
});

it('tells a server that is not there from a connection that was reset', () => {
  const causedBy = (code: string) =>
    new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code }) });
  expect(failureOf(causedBy('ECONNREFUSED'), NOW).kind).toBe('unreachable');
  expect(failureOf(causedBy('ECONNRESET'), NOW).kind).toBe('broken-off');
});

it('does not ask again when the caller forbids to repeat what it has heard', async () => {
  const replies = [{ text: 'Half of it', cut: 'text' as const }, { text: 'All of it.' }];
  await using asking = await startAsking('openai', replies, {
    mayRepeat: ({ deltas }) => deltas.length === 0,
  });
  await expect(asking.ask()).rejects.toMatchObject({ code: 'broken-off' });
  expect(asking.server.requests).toHaveLength(1);
});
