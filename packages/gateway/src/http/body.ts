import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { parseJson } from '@plugboard/protocol';
import { Problem } from './problem.ts';

/** Reads a JSON body, no further than the limit, no longer than so long and no deeper than is sane. An empty one is an empty object. */
export async function readBody(incoming: IncomingMessage, limit: number, ms: number): Promise<unknown> {
  const bytes = await readBytes(incoming, limit, ms);
  if (bytes.length === 0) return {};
  // Bytes that are no text would become other words than were meant.
  const parsed = isUtf8(bytes) ? parseJson(bytes.toString('utf8')) : undefined;
  if (parsed?.ok !== true) throw new Problem('invalid', 'The body is not valid JSON.');
  return parsed.value;
}

/** Stops reading where there is too much, and leaves the connection open: the answer still has to go out. */
function readBytes(incoming: IncomingMessage, limit: number, ms: number): Promise<Buffer> {
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
    // A reset connection: nothing is wrong with the gateway.
    incoming.once('error', () => stop(cutOff()));
  });
}

/** Reads the bytes of a file as they come, each piece within so long. */
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
