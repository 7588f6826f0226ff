import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../src/contract/store.ts';
import { openSqlite } from '../../src/drivers/sqlite/open.ts';
import { place, say, transcript } from '../contract/setup.ts';
import { directory } from '../files.ts';

/** Only root can make a disk of its own, and not in every container. */
const canMount = ((): boolean => {
  const home = directory();
  const mounted = spawnSync('/bin/mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', home]).status === 0;
  if (mounted) execFileSync('/bin/umount', [home]);
  rmSync(home, { recursive: true });
  return mounted;
})();

describe.skipIf(!canMount)('a disk of 2 MB', () => {
  let home: string;
  let disk: string;
  let store: Store | undefined;

  beforeEach(() => {
    home = directory();
    disk = join(home, 'disk');
    mkdirSync(disk);
    execFileSync('/bin/mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', disk]);
  });
  afterEach(async () => {
    await store?.close();
    execFileSync('/bin/umount', [disk]);
    rmSync(home, { recursive: true });
  });

  it('a store on a full disk keeps its rows and takes writes again when the disk has room', async () => {
    const file = join(disk, 'store.db');
    writeFileSync(join(disk, 'ballast'), Buffer.alloc(500_000));
    store = openSqlite(file, { clock: () => 1_000 });
    const session = await store.sessions.open(place('hall'));
    let admitted = 0;
    let problem: unknown;
    while (problem === undefined) {
      await say(store, session, 'long text '.repeat(100)).then(
        () => {
          admitted += 1;
        },
        (error: unknown) => {
          problem = error;
        },
      );
    }
    expect(problem).toMatchObject({ code: 'full', message: expect.stringContaining(file) });
    await expect(store.check()).rejects.toMatchObject({ code: 'full' });
    expect(await transcript(store, session.id)).toHaveLength(admitted);

    rmSync(join(disk, 'ballast'));
    await store.check();
    expect((await say(store, session, 'again')).number).toBe(admitted + 1);
    await store.close();
    store = openSqlite(file, { clock: () => 1_000 });
    expect(await transcript(store, session.id)).toHaveLength(admitted + 1);
  });

  it('a read-only disk is reported as read-only and not as full', () => {
    const file = join(disk, 'store.db');
    execFileSync('/bin/mount', ['-o', 'remount,ro', disk]);
    expect(() => openSqlite(file, { clock: () => 1_000 })).toThrow(`The file ${file} cannot be written to.`);
  });
});
