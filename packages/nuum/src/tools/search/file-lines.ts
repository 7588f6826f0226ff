import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import type { LinkGuard } from '../../policy/withheld-links.ts';

const CHUNK = 256 * 1024;
/** The most bytes of a line that are searched. */
const LONGEST_LINE = 64 * 1024;
const BINARY_SAMPLE = 8192;

export interface OpenFile {
  readonly file: number;
  readonly modified: number;
}

/**
 * Opens a regular file. Undefined for any other file and for errors. `O_NONBLOCK`: a FIFO must not block the search. `guard` is
 * asked before as well: it must not open the memory.
 */
export function openFile(path: string, guard: LinkGuard): OpenFile | 'withheld' | undefined {
  try {
    if (guard(path, lstatSync(path)) !== undefined) return 'withheld';
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    const found = fstatSync(file);
    if (found.isFile() && guard(path, found) === undefined) return { file, modified: found.mtimeMs };
    closeSync(file);
    return undefined;
  } catch {
    return undefined;
  }
}

/** The lines of a text file without line ends, read in chunks. A file with a zero byte in its first bytes has none. */
export function* linesOf(file: number): Generator<string> {
  const buffer = Buffer.allocUnsafe(CHUNK);
  let rest = Buffer.alloc(0);
  for (let position = 0; ; ) {
    const count = readSync(file, buffer, 0, CHUNK, position);
    if (count === 0) break;
    const chunk = buffer.subarray(0, count);
    if (position === 0 && chunk.subarray(0, BINARY_SAMPLE).includes(0)) return;
    position += count;
    const last = chunk.lastIndexOf(10);
    if (last < 0) {
      rest = Buffer.concat([rest, chunk.subarray(0, Math.max(0, LONGEST_LINE - rest.length))]);
      continue;
    }
    yield* splitLines(Buffer.concat([rest, chunk.subarray(0, last)]));
    rest = Buffer.from(chunk.subarray(last + 1));
  }
  if (rest.length > 0) yield* splitLines(rest);
}

function* splitLines(block: Buffer): Generator<string> {
  for (const line of block.toString('utf8').split('\n')) {
    const text = line.endsWith('\r') ? line.slice(0, -1) : line;
    yield text.length > LONGEST_LINE ? text.slice(0, LONGEST_LINE) : text;
  }
}
