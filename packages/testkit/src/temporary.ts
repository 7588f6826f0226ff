import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A directory that is gone when the block that asked for it ends. */
export interface TemporaryDirectory extends Disposable {
  readonly path: string;
}

export function temporaryDirectory(): TemporaryDirectory {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-test-')));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
