import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemCode } from './failure.ts';

/** Where nib's backends keep what must outlive them, by the XDG rules. */
export function stateDirectory(
  environment: Readonly<Record<string, string | undefined>>,
  home: string,
): string {
  const state = environment.XDG_STATE_HOME;
  return join(state?.startsWith('/') ? state : join(home, '.local', 'state'), 'nib');
}

/** The text of a file, or undefined when there is none. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Replaces a file in one step; only its owner can read it. What authors say to their characters is nobody else's business. */
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
