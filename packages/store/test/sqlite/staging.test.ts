import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeStaging } from '../../src/drivers/sqlite/backup/staging.ts';
import { directory } from '../files.ts';

it('makeStaging removes the staging directories of dead processes and nothing else', () => {
  const home = directory();
  const { pid: dead } = spawnSync(process.execPath, ['-e', '0']);
  const alive = `.restore-${process.ppid}-abc`;
  for (const name of [`.backup-${dead}-abc`, `.restore-media-${dead}-abc`, alive, '.backup-mine', 'media'])
    mkdirSync(join(home, name));
  const made = makeStaging(home, 'backup');
  expect(readdirSync(home).sort()).toEqual(
    [made.slice(home.length + 1), '.backup-mine', alive, 'media'].sort(),
  );
  rmSync(home, { recursive: true });
});
