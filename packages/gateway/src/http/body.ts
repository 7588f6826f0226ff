import type { IncomingMessage } from 'node:http';
import { parseJson } from '@plugboard/protocol';
import { Problem } from './problem.ts';

/** Reads a JSON body, no further than the limit and no deeper than is sane. An empty one is an empty object. */
export async function readBody(incoming: IncomingMessage, limit: number): Promise<unknown> {
  const announced = Number(incoming.headers['content-length'] ?? 0);
  if (announced > limit) throw tooLarge(limit);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  if (size === 0) return {};
  const parsed = parseJson(Buffer.concat(chunks).toString('utf8'));
  if (!parsed.ok) throw new Problem('invalid', 'The body is not valid JSON.');
  return parsed.value;
}

function tooLarge(limit: number): Problem {
  return new Problem('too-large', `The body is larger than ${limit} bytes.`);
}
