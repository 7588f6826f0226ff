import { expect, it, vi } from 'vitest';
import { backoff, ClientError, createNetworkError, insist } from '../src/index.ts';
import { createFakeClock } from './fake-clock.ts';

it('backoff doubles from 300 ms to 15 s and takes off at most half', () => {
  expect([0, 1, 2, 30].map((attempt) => backoff(attempt, () => 1))).toEqual([300, 600, 1200, 15_000]);
  expect(backoff(1, () => 0)).toBe(300);
});

it('insist asks until it is answered, and tells once that the gateway is away and once that it is back', async () => {
  const clock = createFakeClock();
  const onAway = vi.fn();
  const ask = vi
    .fn()
    .mockRejectedValueOnce(createNetworkError())
    .mockRejectedValueOnce(createNetworkError())
    .mockResolvedValue('yes');
  const answer = insist(ask, { clock, onAway });
  await expect.poll(clock.afterTick(() => ask.mock.calls)).toHaveLength(3);
  expect(await answer).toBe('yes');
  expect(onAway.mock.calls).toEqual([[expect.objectContaining({ code: 'network' })], [undefined]]);
});

it('insist throws a refusal at once', async () => {
  const refused = new ClientError('conflict', 'The session has ended.', { status: 409 });
  const ask = vi.fn().mockRejectedValue(refused);
  await expect(insist(ask)).rejects.toBe(refused);
  expect(ask).toHaveBeenCalledOnce();
});

it('insist throws the last failure once its patience is over', async () => {
  const clock = createFakeClock();
  const ask = vi.fn().mockRejectedValue(createNetworkError());
  const answer = insist(ask, { clock, patienceMs: 2_000, longestPauseMs: 500 }).catch((error) => error);
  await expect
    .poll(clock.afterTick(() => Promise.race([answer, undefined])))
    .toMatchObject({ code: 'network' });
  expect(ask.mock.calls.length).toBeGreaterThan(3);
});

it('insist with a patience of 0 asks once', async () => {
  const ask = vi.fn().mockRejectedValue(createNetworkError());
  await expect(insist(ask, { patienceMs: 0 })).rejects.toMatchObject({ code: 'network' });
  expect(ask).toHaveBeenCalledOnce();
});
