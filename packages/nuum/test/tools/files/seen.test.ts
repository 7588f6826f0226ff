import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import { createSeen, hashOf } from '../../../src/tools/files/seen.ts';

it('the oldest file is forgotten when too many were seen', () => {
  using place = temporaryDirectory();
  const file = join(place.path, 'f');
  writeFileSync(file, 'a');
  const stats = statSync(file);
  const seen = createSeen();
  for (let n = 0; n <= 10_000; n += 1) seen.remember(`/${n}`, stats, hashOf(Buffer.from('a')));
  expect(seen.knows('/0')).toBe(false);
  expect(seen.knows('/10000')).toBe(true);
});
