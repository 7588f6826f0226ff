import { expect, it } from 'vitest';
import { createLateAnswers } from '../../src/sessions/late.ts';
import type { OwnTurn } from '../../src/sessions/own.ts';

const IDLE = { whenIdle: () => Promise.resolve() };

function turn(): OwnTurn {
  return { batches: () => (async function* () {})() };
}

it('gives the answers that an agent is done with before anybody has heard of them', async () => {
  const late = createLateAnswers();
  const [first, second] = [turn(), turn()];
  const next = late.next(IDLE);
  // Handed over one by one, each some steps after the agent has become idle.
  const handOver = async (): Promise<void> => {
    for (let step = 0; step < 20; step++) await undefined;
    for (const one of [first, second]) late.add(one);
  };
  void handOver();
  expect(await next).toBe(first);
  expect(await late.next(IDLE)).toBe(second);
  expect(await late.next(IDLE)).toBeUndefined();
});

it('keeps what nobody has waited for', () => {
  const late = createLateAnswers();
  const one = turn();
  late.add(one);
  expect(late.rest()).toEqual([one]);
  expect(late.rest()).toEqual([]);
});
