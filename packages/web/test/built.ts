import { globSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { build } from 'vite';

const ROOT = join(import.meta.dirname, '..');
const DIST = join(ROOT, 'dist');
const LOCK = join(ROOT, '.cache', 'building');

/** Builds the page unless what is built is newer than everything it is made of. Test files run side by side: one builds. */
export async function buildPage(): Promise<string> {
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  while (!isFresh()) {
    if (!takeLock()) {
      await wait(100);
      continue;
    }
    try {
      await build({ root: ROOT, logLevel: 'error' });
    } finally {
      rmSync(LOCK, { recursive: true, force: true });
    }
  }
  return DIST;
}

function isFresh(): boolean {
  const sources = globSync(['src/**/*', '../client/src/*', 'public/*', 'index.html', 'vite.config.ts'], {
    cwd: ROOT,
  });
  const newest = Math.max(...sources.map((file) => statSync(join(ROOT, file)).mtimeMs));
  const built = statSync(join(DIST, 'index.html'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return built > newest && statSync(LOCK, { throwIfNoEntry: false }) === undefined;
}

/** A lock that was left behind by a build that died is taken over. */
function takeLock(): boolean {
  const held = statSync(LOCK, { throwIfNoEntry: false });
  if (held !== undefined && Date.now() - held.mtimeMs > 60_000)
    rmSync(LOCK, { recursive: true, force: true });
  try {
    mkdirSync(LOCK);
    return true;
  } catch {
    return false;
  }
}
