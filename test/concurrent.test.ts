import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

/** They belong to the test that began last, which among concurrent tests is another one. */
const OF_THE_LAST_TEST = /\bexpect\s*\.poll\(|\bonTestFinished\(/;

it('no file with concurrent tests calls what belongs to the test that began last', () => {
  const files = globSync(['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'], { cwd: ROOT });
  expect(files.length).toBeGreaterThan(100);
  const wrong = files.filter((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    return /\b(describe|it)\.concurrent\b/.test(text) && OF_THE_LAST_TEST.test(text);
  });
  expect(wrong).toEqual([]);
});
