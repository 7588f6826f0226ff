import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A request on disk, for a process that has the terminal to itself. */
export interface RequestFile {
  readonly path: string;
  /** Removes what the agent has left. */
  remove(): void;
}

/** Writes a request where nobody else can read it or have put a link before. */
export function writeRequestFile(temporary: string, content: string): RequestFile {
  const directory = mkdtempSync(join(temporary, 'plugboard-request-'));
  const path = join(directory, 'request.json');
  writeFileSync(path, content, { mode: 0o600, flag: 'wx' });
  return { path, remove: () => rmSync(directory, { recursive: true, force: true }) };
}
