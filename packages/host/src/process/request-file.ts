import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Failure } from '@plugboard/protocol';
import { reasonOf } from '@plugboard/protocol';

/** A request on disk, for a process that owns the terminal. */
export interface RequestFile {
  readonly path: string;
  /** Removes the file and its directory, unless the agent has removed them. */
  remove(): void;
}

/**
 * Writes a request into a new private directory (`mkdtemp`), where no other user can read it or plant a link; or
 * returns the failure.
 */
export function writeRequestFile(temporary: string, content: string): RequestFile | Failure {
  let directory: string | undefined;
  try {
    directory = mkdtempSync(join(temporary, 'plugboard-request-'));
    const path = join(directory, 'request.json');
    writeFileSync(path, content, { mode: 0o600, flag: 'wx' });
    return { path, remove: () => removeAll(dirname(path)) };
  } catch (error) {
    if (directory !== undefined) removeAll(directory);
    const why = reasonOf(error);
    return { code: 'request-file', message: `Cannot write the request below ${temporary}: ${why}` };
  }
}

/** A directory that cannot be removed is left behind: the turn must still end. */
function removeAll(directory: string): void {
  try {
    rmSync(directory, { recursive: true, force: true });
  } catch {}
}
