import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';

/** `node scripts/page.ts [--always]`: builds the web page when its source is newer than what was built last. */
const ROOT = join(import.meta.dirname, '..', 'packages', 'web');

const newest = Math.max(
  ...globSync('{src/**,../client/src/**,public/**,index.html,vite.config.ts}', { cwd: ROOT }).map((path) =>
    timeOf(path),
  ),
);
if (process.argv.includes('--always') || timeOf('dist/index.html') < newest) {
  await build({ root: ROOT, logLevel: 'warn' });
}

/** When a file was last changed; the beginning of time for one that is not there. */
function timeOf(path: string): number {
  return statSync(join(ROOT, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
