import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openSqlite } from '../../src/drivers/sqlite/index.ts';
import { directory } from '../files.ts';

it('a store knows when it was made, also in a copy and when it is opened again', async () => {
  const home = directory();
  onTestFinished(() => rmSync(home, { recursive: true }));
  const [file, copy] = [join(home, 'a.db'), join(home, 'b.db')];
  const first = openSqlite(file, { clock: () => 1_000 });
  expect(first.createdAt).toBe(1_000);
  await first.backup(copy);
  await first.close();
  for (const path of [file, copy]) {
    const again = openSqlite(path, { clock: () => 9_000, copy: true });
    expect(again.createdAt).toBe(1_000);
    await again.close();
  }
});
