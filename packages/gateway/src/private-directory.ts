import { chmodSync, mkdirSync } from 'node:fs';

/** Creates a directory with mode 0700. `chmod` corrects the mode of an existing one. */
export function makePrivate(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  chmodSync(directory, 0o700);
}
