import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSqlite } from '../../src/drivers/sqlite/open.ts';
import { transcript } from '../contract/setup.ts';
import { directory } from '../files.ts';

let home: string;
let file: string;

beforeEach(() => {
  home = directory();
  file = join(home, 'store.db');
});
afterEach(() => rmSync(home, { recursive: true }));

function start(program: string, ...args: string[]): ChildProcess {
  const path = join(import.meta.dirname, 'programs', program);
  return spawn(process.execPath, [path, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
}

/** Lets the writer write for a while, kills it, and gives what it printed. */
async function writeAndDie(round: number, forMs: number): Promise<string[]> {
  const child = start('writer.ts', file, `r${round}`);
  const lines: string[] = [];
  if (child.stdout === null) throw new Error('no output');
  const output = createInterface({ input: child.stdout });
  output.on('line', (line) => {
    if (lines.push(line) === 1) setTimeout(() => child.kill('SIGKILL'), forMs);
  });
  await once(output, 'close');
  return lines;
}

/** What the file says, read without the store. */
function inspect(): { integrity: unknown; sources: Set<string>; ended: Set<string>; gaps: unknown[] } {
  const database = new DatabaseSync(file);
  const column = (sql: string): Set<string> =>
    new Set(
      database
        .prepare(sql)
        .all()
        .map(({ value }) => String(value)),
    );
  const found = {
    integrity: database.prepare('pragma integrity_check').get(),
    sources: column('select source as value from messages'),
    ended: column("select id as value from turns where state = 'success'"),
    gaps: database
      .prepare(`select sessions.id from sessions join events on events.session = sessions.seq
        group by sessions.id having count(*) <> last_event or max(number) <> last_event`)
      .all(),
  };
  database.close();
  return found;
}

it('no acknowledged write is lost when the process is killed again and again', async () => {
  const admitted: string[] = [];
  const completed: string[] = [];
  for (let round = 0; round < 20; round += 1) {
    const lines = await writeAndDie(round, Math.random() * 120);
    for (const [what, id = ''] of lines.map((line) => line.split(' '))) {
      if (what === 'admitted') admitted.push(id);
      if (what === 'completed') completed.push(id);
    }
    const { integrity, sources, ended, gaps } = inspect();
    expect(integrity).toEqual({ integrity_check: 'ok' });
    expect(admitted.filter((id) => !sources.has(id))).toEqual([]);
    expect(completed.filter((id) => !ended.has(id))).toEqual([]);
    expect(gaps).toEqual([]);
    await recoverOnce();
  }
  expect(admitted.length).toBeGreaterThan(100);
  expect(completed.length).toBeGreaterThan(20);
});

/** Ends what the dead process left running, twice, and counts the notices. */
async function recoverOnce(): Promise<void> {
  const store = openSqlite(file, { clock: Date.now });
  const notice = () => ({ channel: 'notice', place: 'x', body: null, expiresInMs: 60_000 });
  const ended = await store.turns.recover({ node: 'north', notice });
  expect(await store.turns.recover({ node: 'north', notice })).toEqual([]);
  for (const turn of ended) {
    const log = await transcript(store, turn.sessionId);
    expect(log.filter((line) => line.includes(' end:')).length).toBeGreaterThan(0);
    const notices = await store.outbox.list({ sessionId: turn.sessionId, limit: 1 });
    expect(notices[0]).toMatchObject({ channel: 'notice', turnId: turn.id });
  }
  await store.close();
}

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
  expect(inspect().integrity).toEqual({ integrity_check: 'ok' });
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
