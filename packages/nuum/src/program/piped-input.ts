import { fstatSync } from 'node:fs';

/** The limit of stdin, 16 MiB. */
const MOST_BYTES = 16 * 1024 * 1024;

/** Timeout of the first byte: a parent process may leave the pipe open without a word. */
const SILENCE_MS = 3_000;

/** The text on stdin beside a prompt; undefined when stdin is a TTY, a device, or silent for `SILENCE_MS`. */
export async function readPipedInput(
  input: NodeJS.ReadStream,
  tell: (text: string) => void,
): Promise<string | undefined> {
  if (!isPiped(input)) return undefined;
  const chunks: Buffer[] = [];
  let bytes = 0;
  const silence = setTimeout(() => {
    tell(`nuum: nothing came on standard input for ${SILENCE_MS / 1000} s; going on without it.\n`);
    input.destroy();
  }, SILENCE_MS);
  try {
    for await (const chunk of input as AsyncIterable<Buffer>) {
      clearTimeout(silence);
      bytes += chunk.length;
      if (bytes > MOST_BYTES)
        throw new Error(`Standard input is longer than ${MOST_BYTES / 1024 / 1024} MiB.`);
      chunks.push(chunk);
    }
  } catch (error) {
    if (bytes > 0) throw error;
  } finally {
    clearTimeout(silence);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** True for a FIFO, a socket and a regular file. */
function isPiped({ isTTY }: NodeJS.ReadStream): boolean {
  if (isTTY) return false;
  try {
    const stats = fstatSync(0);
    return stats.isFIFO() || stats.isSocket() || stats.isFile();
  } catch {
    return false;
  }
}
