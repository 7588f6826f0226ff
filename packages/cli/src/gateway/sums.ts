import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** Where a copy says what its files contained; `sha256sum -c` understands it. */
const SUMS = 'SHA256SUMS';

/** The names of files, and what they contain, in short. */
export type Sums = ReadonlyMap<string, string>;

/** What a file contains, in short; it is never in memory as a whole. */
export async function sumOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

export function writeSums(folder: string, sums: Sums): void {
  const lines = [...sums].map(([name, sum]) => `${sum}  ${name}\n`);
  writeFileSync(join(folder, SUMS), lines.join(''), { mode: 0o600, flush: true });
}

/** Undefined for a copy that was made before there were any. What is no line of ours says nothing. */
export function readSums(folder: string): Sums | undefined {
  const file = join(folder, SUMS);
  if (!existsSync(file)) return undefined;
  const lines = readFileSync(file, 'utf8').split('\n');
  const found = lines.map((line) => /^([0-9a-f]{64}) [ *](.+)$/.exec(line));
  return new Map(found.flatMap((match) => (match === null ? [] : [[match[2] ?? '', match[1] ?? '']])));
}
