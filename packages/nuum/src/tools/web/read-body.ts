import type { IncomingMessage } from 'node:http';
import { PassThrough, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

export interface BodyLimits {
  /** After decompression, whatever `content-length` says. */
  readonly bytes: number;
  readonly idleMs: number;
}

export interface Body {
  readonly bytes: Buffer;
  /** True when the response exceeded the limit. */
  readonly cut: boolean;
}

const DECODERS: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>(
  Object.entries({
    '': () => new PassThrough(),
    identity: () => new PassThrough(),
    gzip: createGunzip,
    'x-gzip': createGunzip,
    deflate: createInflate,
    br: createBrotliDecompress,
  }),
);

/**
 * Reads and decompresses a response up to `limits.bytes`. The decoder is destroyed then, so that a decompression bomb
 * never fills the memory.
 */
export async function readBody(message: IncomingMessage, limits: BodyLimits): Promise<Body> {
  const encoding = (message.headers['content-encoding'] ?? '').trim().toLowerCase();
  const decoder = DECODERS.get(encoding)?.();
  if (decoder === undefined) {
    message.destroy();
    throw new Error(
      `The answer is packed as ${JSON.stringify(encoding.slice(0, 40))}, which is not understood.`,
    );
  }
  const idle = setTimeout(
    () => decoder.destroy(new Error(`The server has sent nothing for ${limits.idleMs} ms.`)),
    limits.idleMs,
  );
  message.on('data', () => idle.refresh());
  message.on('error', (error) => decoder.destroy(error));
  message.once('aborted', () =>
    decoder.destroy(new Error('The connection broke off in the middle of the answer.')),
  );
  try {
    return await readStream(message.pipe(decoder), limits.bytes);
  } finally {
    clearTimeout(idle);
    message.destroy();
    decoder.destroy();
  }
}

async function readStream(stream: Readable, limit: number): Promise<Body> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > limit) break;
  }
  const bytes = Buffer.concat(chunks);
  return { bytes: bytes.subarray(0, limit), cut: size > limit };
}
