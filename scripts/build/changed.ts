import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { buildPrograms } from './all.ts';
import { distOf, PROGRAMS, ROOT } from './workspace.ts';

/** Calls `buildPrograms` unless each `package.json` in a `dist` is newer than `src`, `bin` and `scripts`. */
export async function buildChangedPrograms(): Promise<void> {
  if (!isBuilt()) await buildPrograms();
}

/** The set-up of the project `agents`, whose tests need no browser. */
export const setup = buildChangedPrograms;

/** Compares the oldest `package.json` in a `dist` with the newest source file. */
function isBuilt(): boolean {
  const manifests = PROGRAMS.map((folder) => join(distOf(folder), 'package.json'));
  const built = Math.min(...manifests.map(changed));
  const parts = readdirSync(join(ROOT, 'packages')).flatMap((name) =>
    ['src', 'bin'].map((part) => join(ROOT, 'packages', name, part)),
  );
  return [join(ROOT, 'package-lock.json'), join(ROOT, 'scripts'), ...parts].every(
    (path) => newest(path) < built,
  );
}

function newest(path: string): number {
  const below = statSync(path, { throwIfNoEntry: false })?.isDirectory()
    ? readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => changed(join(path, name)))
    : [];
  return Math.max(changed(path), ...below);
}

/** The `mtimeMs` of a path; 0 when it is absent, which is older than any source. */
function changed(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
