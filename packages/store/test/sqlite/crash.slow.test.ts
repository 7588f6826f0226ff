import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSqlite } from '../../src/drivers/sqlite/open.ts';
import { directory } from '../files.ts';
import { expectNothingLost, inspect, start } from './crash.ts';

let home: string;
let file: string;

beforeEach(() => {
  home = directory();
  file = join(home, 'store.db');
});
afterEach(() => rmSync(home, { recursive: true }));

it('no acknowledged write is lost when the process is killed again and again', () =>
  expectNothingLost(file, 8));

it('of several processes that open a new store at once, one makes it and the others are refused', async () => {
  const at = String(Date.now() + 1_500);
  const children = Array.from({ length: 4 }, () => start('opener.ts', file, at));
  const answers = await Promise.all(
    children.map(async ({ stdout }) => {
      if (stdout === null) throw new Error('no output');
      const [line] = (await once(createInterface({ input: stdout }), 'line')) as [string];
      return line;
    }),
  );
  expect(answers, answers.join('; ')).toContain('opened');
  expect(answers.filter((answer) => answer === 'opened')).toHaveLength(1);
  const refused = answers.filter((answer) => answer !== 'opened');
  expect(refused.filter((answer) => !answer.startsWith(`in-use: The file ${file} is `))).toEqual([]);
  for (const child of children) child.stdin?.end();
  await Promise.all(children.map((child) => child.exitCode ?? once(child, 'exit')));
  expect(inspect(file).integrity).toEqual({ integrity_check: 'ok' });
});

it('a store can be opened at once after its process was killed', async () => {
  const child = start('opener.ts', file);
  if (child.stdout === null) throw new Error('no output');
  await once(createInterface({ input: child.stdout }), 'line');
  expect(() => openSqlite(file, { clock: Date.now })).toThrow(`in use by process ${child.pid}`);
  child.kill('SIGKILL');
  await once(child, 'exit');
  await openSqlite(file, { clock: Date.now }).close();
});
