import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { openSqlite } from '../../src/drivers/sqlite/open.ts';
import { moveStore, type StorePlace } from '../../src/move/move-store.ts';
import { directory } from '../files.ts';
import { useServer } from '../postgres/server.ts';
import { makeFullStore, NASTY, rowsOf } from './full-store.ts';

// With `fsync`, because the server is not ended: only the program that moves is.
const its = useServer();

const EVENTS = 12_500;

/** Starts a move in a process of its own, and kills it once a line `matches`. False when it ended before. */
async function moveAndKill(
  from: StorePlace,
  to: StorePlace,
  matches: (line: string) => boolean,
): Promise<boolean> {
  const program = join(import.meta.dirname, 'programs', 'mover.ts');
  const child = spawn(process.execPath, [program, JSON.stringify(from), JSON.stringify(to)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout })) if (matches(line)) child.kill('SIGKILL');
  const [, signal] = await exit;
  return signal === 'SIGKILL';
}

const copied = (line: string): number => (line.startsWith('copying') ? Number(line.split(' ')[1]) : 0);

/** Kills a move at growing numbers of rows, and while it compares. */
async function killOften(from: StorePlace, to: StorePlace): Promise<void> {
  for (const rows of [1, 20_000, 60_000])
    expect(await moveAndKill(from, to, (line) => copied(line) >= rows)).toBe(true);
  expect(await moveAndKill(from, to, (line) => line.startsWith('comparing'))).toBe(true);
}

/** The server notices within a moment that the process, which had the lock, is gone. */
async function moveWhenFree(from: StorePlace, to: StorePlace) {
  for (;;) {
    try {
      return await moveStore({ from, to });
    } catch (error) {
      if ((error as { code?: string }).code !== 'in-use') throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

describe('a move that is killed', () => {
  it('goes on where it was, to Postgres and back, and copies no row twice', async () => {
    const home = directory();
    const file = join(home, 'store.db');
    const back = join(home, 'back.db');
    await makeFullStore(file, { events: EVENTS });
    const sqlite = { kind: 'sqlite', file } as const;
    const postgres = { kind: 'postgres', url: await its.server.createDatabase() } as const;
    await killOften(sqlite, postgres);
    await expect(its.open(postgres.url)).rejects.toThrow(/is not finished. Run plugboard db move again/);
    const there = await moveWhenFree(sqlite, postgres);
    expect(there).toMatchObject({ isResumed: true });
    expect(there.copiedRows).toBeLessThan(EVENTS * NASTY.length);
    const returned = { kind: 'sqlite', file: back } as const;
    await killOften(postgres, returned);
    expect(existsSync(back)).toBe(false);
    expect(await moveWhenFree(postgres, returned)).toMatchObject({ isResumed: true, tables: there.tables });
    const events = (path: string) =>
      rowsOf(path, 'events', 'session, number').map(({ seq: _seq, ...row }) => row);
    expect(events(back)).toEqual(events(file));
    rmSync(home, { recursive: true });
  });

  it('is refused when the source was used meanwhile', async () => {
    const home = directory();
    const file = join(home, 'store.db');
    await makeFullStore(file, { events: EVENTS });
    const from = { kind: 'sqlite', file } as const;
    const to = { kind: 'postgres', url: await its.server.createDatabase() } as const;
    expect(await moveAndKill(from, to, (line) => copied(line) > 1)).toBe(true);
    const store = openSqlite(file, { clock: Date.now });
    await store.sessions.open({ channel: 'web', place: 'new', agent: 'echo' });
    await store.close();
    await expect(moveWhenFree(from, to)).rejects.toThrow(
      /half-finished move of another store, or of this one before it was used again/,
    );
  });

  it('that had ended after its last step is found finished', async () => {
    const home = directory();
    const file = join(home, 'store.db');
    await makeFullStore(file);
    const from = { kind: 'sqlite', file } as const;
    const to = { kind: 'postgres', url: await its.server.createDatabase() } as const;
    const first = await moveStore({ from, to });
    expect(await moveStore({ from, to })).toMatchObject({
      isResumed: true,
      copiedRows: 0,
      tables: first.tables,
    });
    const back = join(home, 'back.db');
    await moveStore({ from: to, to: { kind: 'sqlite', file: back } });
    // As if the file had not got its name yet.

    renameSync(back, `${back}.moving`);
    expect(await moveStore({ from: to, to: { kind: 'sqlite', file: back } })).toMatchObject({
      copiedRows: 0,
    });
    expect(existsSync(back)).toBe(true);
  });
});

it('100,000 events are moved in reasonable time, each way', async () => {
  const home = directory();
  const file = join(home, 'store.db');
  await makeFullStore(file, { events: EVENTS });
  const sqlite = { kind: 'sqlite', file } as const;
  const postgres = { kind: 'postgres', url: await its.server.createDatabase() } as const;
  const rates: string[] = [];
  for (const [from, to] of [
    [sqlite, postgres],
    [postgres, { kind: 'sqlite', file: join(home, 'back.db') } as const],
  ] as const) {
    const began = performance.now();
    const { copiedRows, copyMs } = await moveStore({ from, to });
    const all = performance.now() - began;
    rates.push(
      `to ${to.kind}: ${Math.round((copiedRows / copyMs) * 1000)} rows/s, ${Math.round(all)} ms with index and proof`,
    );
    expect(copiedRows).toBeGreaterThan(EVENTS * NASTY.length);
    expect(all).toBeLessThan(45_000);
  }
  console.info(rates.join('; '));
  rmSync(home, { recursive: true });
});
