import { setTimeout as sleep } from 'node:timers/promises';
import { onTestEnd } from '@plugboard/testkit';
import { afterAll, describe, expect, it } from 'vitest';

const ended: string[] = [];

describe.concurrent('onTestEnd', () => {
  it.each([60, 20, 40])('runs when its own test ends, among concurrent ones (%i)', async (ms) => {
    await sleep(10);
    onTestEnd(() => void ended.push(`end ${ms}`));
    await sleep(ms);
    ended.push(`test ${ms}`);
  });

  afterAll(() => {
    for (const ms of [60, 20, 40])
      expect(ended.indexOf(`end ${ms}`), ended.join()).toBe(ended.indexOf(`test ${ms}`) + 1);
    expect(ended).toHaveLength(6);
  });
});
