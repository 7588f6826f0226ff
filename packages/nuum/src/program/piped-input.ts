import { fstatSync } from 'node:fs';

/** What is read of standard input at most. */
const MOST_BYTES = 16 * 1024 * 1024;

/** A program that was started with an open pipe and nothing to say would otherwise be waited for without end. */
const SILENCE_MS = 3_000;

/** What came on standard input beside a prompt; undefined when it is a terminal, a device, or nobody writes to it. */
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

/** A pipe, a socket or a file. */
function isPiped({ isTTY }: NodeJS.ReadStream): boolean {
  if (isTTY) return false;
  try {
    const stats = fstatSync(0);
    return stats.isFIFO() || stats.isSocket() || stats.isFile();
  } catch {
    return false;
  }
}
