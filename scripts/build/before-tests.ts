import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { buildPrograms } from './all.ts';
import { findBrowser } from './find-browser.ts';
import { distOf, PROGRAMS, ROOT } from './workspace.ts';

/** Tests start commands as they are published: those begin twice as fast as from source, and are what people run. */
export async function setup(): Promise<() => void> {
  if (!isBuilt()) await buildPrograms();
  const browser = await findBrowser();
  if (browser !== undefined) process.env.CHROMIUM = browser;
  else if (process.env.CI === 'true') throw new Error(NO_BROWSER);
  // Said last of all, where nobody overlooks it.
  return () => {
    if (browser === undefined)
      process.stderr.write(`SKIPPED: the page was not tried in a browser. ${NO_BROWSER}\n`);
  };
}

const NO_BROWSER =
  'No Chromium could be started. Set CHROMIUM to one, or install one: apt-get install chromium';

/** Whether everything that was built is newer than everything that it is made of. */
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

/** 0 for what is not there: it is older than anything. */
function changed(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
