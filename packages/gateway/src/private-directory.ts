import { chmodSync, mkdirSync } from 'node:fs';

/** Makes a directory that only we can look into, also when somebody else made it before. */
export function makePrivate(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  chmodSync(directory, 0o700);
}
