import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

type Work = 'backup' | 'restore' | 'restore-media';

const NAME = /^\.(?:backup|restore|restore-media)-(\d+)-/;

/**
 * A directory of this process alone in which something is prepared, beside where it will be. What others have left there
 * that were killed at it is removed: it holds what people said.
 */
export function stagingIn(directory: string, work: Work): string {
  for (const name of readdirSync(directory)) {
    const owner = NAME.exec(name)?.[1];
    if (owner !== undefined && !isAlive(Number(owner)))
      rmSync(join(directory, name), { recursive: true, force: true });
  }
  return mkdtempSync(join(directory, `.${work}-${process.pid}-`));
}

/** The path itself, or where something lies that is being prepared there: nobody knows that by name. */
export function preparedIn(path: string): string {
  return path.replace(/[/\\]\.(?:backup|restore|restore-media)-\d+-.*$/s, '') || '/';
}

/** Somebody else's process is alive, too, though it may not be asked. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
