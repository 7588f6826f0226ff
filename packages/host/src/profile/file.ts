import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { bad, type Checked } from './checked.ts';
import { parseSource, SOURCE_BYTES, type SourceDocument } from './document.ts';

/** Reads and parses a file. Problems call it by its kind, for example "profile". */
export async function readSource(path: string, what: string): Promise<Checked<SourceDocument>> {
  try {
    const about = await stat(path);
    // A pipe or a device may have no end, and `open` on one may block for ever.
    if (!about.isFile()) {
      const kind = about.isDirectory() ? 'a folder' : 'a pipe or a device';
      return bad(`${path} is ${kind}; a ${what} is a file.`);
    }
    const bytes = await readStart(path);
    const cut = bytes.length > SOURCE_BYTES;
    if (!cut && !isUtf8(bytes)) return bad(`${path}: This is not a text file in UTF-8.`);
    return parseSource(path, bytes.toString('utf8'));
  } catch (error) {
    return bad(unreadable(path, what, error));
  }
}

/** Reads at most `SOURCE_BYTES` and one byte more, because the file may grow without end. */
async function readStart(path: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of createReadStream(path, { end: SOURCE_BYTES })) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function unreadable(path: string, what: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') return `There is no ${what} at ${path}.`;
  const reason =
    code === 'EACCES' || code === 'EPERM' ? 'this user may not read it' : `the system says ${code}`;
  return `The ${what} ${path} cannot be read: ${reason}.`;
}
