import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemCode } from './failure.ts';

/** The directory for state of nib's backends, by the XDG rules. */
export function getStateDirectory(
  environment: Readonly<Record<string, string | undefined>>,
  home: string,
): string {
  const state = environment.XDG_STATE_HOME;
  return join(state?.startsWith('/') ? state : join(home, '.local', 'state'), 'nib');
}

/** The text of a file; undefined when it does not exist. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Replaces a file in one step, with mode 600: conversations of authors are private. */
export function writePrivate(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const next = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    writeFileSync(next, text, { mode: 0o600, flag: 'wx', flush: true });
    renameSync(next, path);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
}
