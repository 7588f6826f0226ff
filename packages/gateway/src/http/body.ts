import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { MAX_DEPTH, parseJson } from '@plugboard/protocol';
import { Problem } from './problem.ts';

/** Reads a JSON body within `limit` bytes and `ms`; `parseJson` limits its depth. An empty body is `{}`. */
export async function readBody(incoming: IncomingMessage, limit: number, ms: number): Promise<unknown> {
  const bytes = await readBytes(incoming, limit, ms);
  if (bytes.length === 0) return {};
  // `toString` would replace invalid UTF-8 and so change the text: such a body is refused.
  const parsed = isUtf8(bytes) ? parseJson(bytes.toString('utf8')) : undefined;
  if (parsed?.ok === true) return parsed.value;
  const isTooDeep = parsed?.fault.code === 'too-deep';
  throw new Problem(
    'invalid',
    isTooDeep ? `The body is nested deeper than ${MAX_DEPTH} levels.` : 'The body is not valid JSON.',
  );
}

/** Reads a body as it came. Pauses the request at `limit` instead of destroying it, because the answer uses the same connection. */
export function readBytes(incoming: IncomingMessage, limit: number, ms: number): Promise<Buffer> {
  refuseLarge(incoming, limit);
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    const stop = (problem: Problem): void => {
      clearTimeout(timer);
      incoming.off('data', take).pause();
      reject(problem);
    };
    const timer = setTimeout(() => stop(tooSlow()), ms);
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > limit) stop(tooLarge(limit));
    };
    incoming.on('data', take);
    incoming.once('end', () => {
      clearTimeout(timer);
      resolve(chunks.length === 1 ? (chunks[0] ?? Buffer.of()) : Buffer.concat(chunks));
    });
    incoming.once('close', () => {
      if (!incoming.complete) stop(cutOff());
    });
    // The client reset the connection, which is not an error of the gateway.
    incoming.once('error', () => stop(cutOff()));
  });
}

/** Reads an upload piece by piece. `ms` is the timeout of each piece. */
export async function* readPieces(
  incoming: IncomingMessage,
  limit: number,
  ms: number,
): AsyncGenerator<Uint8Array> {
  refuseLarge(incoming, limit);
  const pieces = incoming.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>;
  let timer: NodeJS.Timeout | undefined;
  try {
    for (;;) {
      const late = new Promise<never>((_resolve, reject) => {
        timer = setTimeout(() => reject(tooSlow()), ms);
      });
      const piece = pieces.next().catch((error) => {
        throw incoming.complete ? error : cutOff();
      });
      const next = await Promise.race([piece, late]);
      clearTimeout(timer);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    clearTimeout(timer);
  }
}

function refuseLarge({ headers }: IncomingMessage, limit: number): void {
  if (Number(headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
}

function tooLarge(limit: number): Problem {
  return new Problem('too-large', `The body is larger than ${limit} bytes.`);
}

function cutOff(): Problem {
  return new Problem('invalid', 'The body was cut off.');
}

function tooSlow(): Problem {
  return new Problem('too-slow', 'The body took too long to come.');
}
