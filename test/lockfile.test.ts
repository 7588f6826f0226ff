import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Lockfile, missingPackages } from '../scripts/lockfile.ts';

const lock = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', 'package-lock.json'), 'utf8'),
) as Lockfile;

it('names the packages for every system, so that npm ci works on each', () => {
  const names = missingPackages(lock).map(({ name }) => name);
  expect(names, 'run node scripts/lockfile.ts').toEqual([]);
});

it('names no place to download from', () => {
  const places = Object.values(lock.packages).flatMap(({ resolved }) =>
    resolved === undefined ? [] : [resolved],
  );
  expect(places.filter((place) => /^https?:/.test(place))).toEqual([]);
});
