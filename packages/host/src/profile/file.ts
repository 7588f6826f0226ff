import { createReadStream } from 'node:fs';
import { bad, type Checked } from './checked.ts';
import { parseSource, SOURCE_BYTES, type SourceDocument } from './document.ts';

/** Reads and parses a file; `what` is the word for it in a problem, such as "profile". */
export async function readSource(path: string, what: string): Promise<Checked<SourceDocument>> {
  try {
    return parseSource(path, await readStart(path));
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return bad(
      missing ? `There is no ${what} at ${path}.` : `The ${what} ${path} cannot be read: ${String(error)}`,
    );
  }
}

/** As much of a file as may be parsed and a byte more, so that a file without end is refused and not read. */
async function readStart(path: string): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of createReadStream(path, { end: SOURCE_BYTES })) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
