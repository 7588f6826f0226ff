import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium, type LaunchOptions } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** A Chromium of this machine: the one named by CHROMIUM, else one on the path, else Debian's, if we may install it. */
function findChromium(): string | undefined {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  return onPath() ?? (installChromium() ? onPath() : undefined);
}

function onPath(): string | undefined {
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

function installChromium(): boolean {
  if (process.getuid?.() !== 0) return false;
  try {
    execFileSync('apt-get', ['update', '-qq'], { stdio: 'ignore', timeout: 60_000 });
    execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], {
      stdio: 'ignore',
      timeout: 240_000,
    });
    return true;
  } catch {
    return false;
  }
}

/** The browser of these tests; `undefined` when there is none, which on CI is a failure and elsewhere a loud skip. */
export const executablePath: string | undefined = findChromium();
if (executablePath === undefined) {
  const message = 'No Chromium was found. Set CHROMIUM to one, or install it: apt-get install chromium';
  if (process.env.CI === 'true') throw new Error(message);
  console.warn(`SKIPPED: the page is not tried in a browser. ${message}`);
}

export function launch(options: LaunchOptions = {}): Promise<Browser> {
  // Chromium refuses to run its sandbox as root, which is who runs in most containers.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ ...(executablePath === undefined ? {} : { executablePath }), args, ...options });
}
