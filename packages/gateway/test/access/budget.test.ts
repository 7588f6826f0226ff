import { join } from 'node:path';
import { openSqlite } from '@plugboard/store/sqlite';
import { temporaryDirectory } from '@plugboard/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { type Budget, createBudget } from '../../src/access/budget.ts';
import type { AccessPolicy } from '../../src/access/policy.ts';

const LIMITLESS: AccessPolicy = { allow: ['*'], owners: [], groups: 'mention', pairing: false };

function openBudget(today: { day: string } = { day: '2026-03-01' }): Budget {
  const directory = temporaryDirectory();
  const store = openSqlite(join(directory.path, 'store.db'), { clock: Date.now });
  onTestFinished(async () => {
    await store.close();
    directory[Symbol.dispose]();
  });
  return createBudget(store.people, () => today.day);
}

it('a message that was refused for the limit of a day is not counted', async () => {
  const budget = openBudget();
  const take = (turnsPerDay: number) => budget.take({ ...LIMITLESS, turnsPerDay }, 'chat:7');
  expect(await take(1)).toBeUndefined();
  for (let count = 0; count < 3; count += 1) expect(await take(1)).toMatch(/used up your 1 message of today/);
  // The operator allows one more.
  expect(await take(2)).toBeUndefined();
  expect(await take(2)).toMatch(/used up your 2 messages of today/);
});

it('what may be spent for a person in a day is used up when it is reached, until the next day', async () => {
  const today = { day: '2026-03-01' };
  const budget = openBudget(today);
  const take = (principal = 'chat:7') => budget.take({ ...LIMITLESS, costPerDay: 0.5 }, principal);
  await budget.charge('chat:7', { amount: 0.25, currency: 'EUR' });
  expect(await take()).toBeUndefined();
  await budget.charge('chat:7', { amount: 0.25, currency: 'EUR' });
  expect(await take()).toMatch(/may be spent for you today \(0\.5 EUR\)/);
  expect(await take('chat:8')).toBeUndefined();
  today.day = '2026-03-02';
  expect(await take()).toBeUndefined();
});

it('a message that is given back does not count', async () => {
  const budget = openBudget();
  const take = () => budget.take({ ...LIMITLESS, turnsPerDay: 1 }, 'chat:7');
  expect(await take()).toBeUndefined();
  await budget.giveBack('chat:7');
  expect(await take()).toBeUndefined();
  expect(await take()).toBeDefined();
});
