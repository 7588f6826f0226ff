import { join } from 'node:path';
import { temporaryDirectory } from '@plugboard/testkit';
import { it } from 'vitest';
import { expectNothingLost } from './crash.ts';

it('no acknowledged write is lost when the process is killed a hundred times', async () => {
  using home = temporaryDirectory();
  await expectNothingLost(join(home.path, 'store.db'), 100);
});
