import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Failure } from '@plugboard/protocol';
import { reasonOf } from '@plugboard/protocol';

/** A request on disk, for a process that has the terminal to itself. */
export interface RequestFile {
  readonly path: string;
  /** Removes what the agent has left. */
  remove(): void;
}

/** Writes a request where nobody else can read it or have put a link before; or says why that cannot be done. */
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

/** What cannot be removed stays: that is no reason for a turn not to end. */
function removeAll(directory: string): void {
  try {
    rmSync(directory, { recursive: true, force: true });
  } catch {}
}
