import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { createRandom, SEED } from '@plugboard/testkit';
import { expect } from 'vitest';
import { openSqlite } from '../../src/drivers/sqlite/open.ts';
import { transcript } from '../contract/setup.ts';

export function start(program: string, ...args: string[]): ChildProcess {
  const path = join(import.meta.dirname, 'programs', program);
  return spawn(process.execPath, [path, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
}

/** Lets the writer write for a while, kills it, and gives what it printed. */
async function writeAndDie(file: string, round: number, forMs: number): Promise<string[]> {
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
export function inspect(file: string): {
  integrity: unknown;
  sources: Set<string>;
  ended: Set<string>;
  gaps: unknown[];
} {
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

/** Kills a writer of `file` so many times, at moments that the seed draws, and looks each time for what it had acknowledged. */
export async function expectNothingLost(file: string, rounds: number): Promise<void> {
  const random = createRandom(SEED);
  const admitted: string[] = [];
  const completed: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const lines = await writeAndDie(file, round, random() * 120);
    for (const [what, id = ''] of lines.map((line) => line.split(' '))) {
      if (what === 'admitted') admitted.push(id);
      if (what === 'completed') completed.push(id);
    }
    const { integrity, sources, ended, gaps } = inspect(file);
    expect(integrity).toEqual({ integrity_check: 'ok' });
    expect(admitted.filter((id) => !sources.has(id))).toEqual([]);
    expect(completed.filter((id) => !ended.has(id))).toEqual([]);
    expect(gaps).toEqual([]);
    await recoverOnce(file);
  }
  // How much a writer writes in 60 ms depends on the machine; some of them must have written.
  expect(admitted.length).toBeGreaterThan(rounds);
  expect(completed.length).toBeGreaterThan(0);
}

/** Ends what the dead process left running, twice, and counts the notices. */
async function recoverOnce(file: string): Promise<void> {
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
