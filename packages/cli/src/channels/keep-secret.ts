import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Writes a secret into a file that only its owner can read. A file of that name with another secret belongs to another
 * configuration, and is kept: the next free name is taken.
 */
export function keepSecret(directory: string, name: string, secret: string): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const text = `${secret}\n`;
  for (let number = 1; ; number += 1) {
    const file = join(directory, number === 1 ? name : `${name}-${number}`);
    if (!existsSync(file)) {
      writeFileSync(file, text, { mode: 0o600, flush: true, flag: 'wx' });
      return file;
    }
    if (readFileSync(file, 'utf8') === text) return file;
  }
}
