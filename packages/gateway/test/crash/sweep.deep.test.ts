import { expect, it } from 'vitest';
import { judge } from './checker.ts';
import { judgeCommands } from './command-checker.ts';
import { sweep } from './life.ts';
import { COMMANDS, UPDATES } from './updates.ts';

it('a gateway that is killed at every point between a message and its answer loses nothing and says nothing twice', async () => {
  expect(await sweep(UPDATES, judge)).toEqual([]);
});

it('a gateway on a store that commits every call alone loses nothing and says nothing twice', async () => {
  expect(await sweep(UPDATES, judge, 1, 'alone')).toEqual([]);
});

it('a gateway that is killed at every point between a command and its answer obeys it once, and answers once', async () => {
  expect(await sweep(COMMANDS, judgeCommands)).toEqual([]);
});
