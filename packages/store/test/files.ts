import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '../src/drivers/sqlite/open.ts';
import type { Opened } from './contract/setup.ts';

/** A directory of a test's own. */
export function directory(): string {
  return mkdtempSync(join(tmpdir(), 'plugboard-store-'));
}

/**
 * A directory in memory, where the system has one: a database that is made and closed waits for the disk, and the suite of all
 * stores makes some hundreds. What a crash leaves is another test's.
 */
export function memoryDirectory(): string {
  return mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'plugboard-store-'));
}

const MEMORY = '/dev/shm';

/** An empty store in a file, with a clock that stands still. With `together: false` every call is a commit of its own. */
export async function openFile({ together = true, home = directory() } = {}): Promise<Opened> {
  const clock = { now: 1_000_000 };
  const open = () =>
    openSqlite(join(home, 'store.db'), { clock: () => clock.now, synchronous: 'normal', together });
  let store = open();
  return {
    get store() {
      return store;
    },
    clock,
    async reopen() {
      await store.close();
      store = open();
      return store;
    },
    async destroy() {
      await store.close();
      rmSync(home, { recursive: true });
    },
  };
}
