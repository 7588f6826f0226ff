import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import { stagingIn } from '../src/gateway/staging.ts';

it('what was being prepared by a process that was killed is removed by the next one, and nothing else is', () => {
  using place = temporaryDirectory();
  const { pid: dead } = spawnSync(process.execPath, ['-e', '0']);
  const alive = `.restore-${process.ppid}-abc`;
  for (const name of [`.backup-${dead}-abc`, `.restore-media-${dead}-abc`, alive, '.backup-mine', 'media'])
    mkdirSync(join(place.path, name));
  const made = stagingIn(place.path, 'backup');
  expect(readdirSync(place.path).sort()).toEqual(
    [made.slice(place.path.length + 1), '.backup-mine', alive, 'media'].sort(),
  );
});
