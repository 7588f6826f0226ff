import { StringDecoder } from 'node:string_decoder';

export interface StderrTail {
  push(chunk: Uint8Array): void;
  text(): string;
}

/** Keeps the last `limit` bytes in a fixed ring buffer: the cost per byte does not depend on the size of the chunks. */
export function createStderrTail(limit: number): StderrTail {
  // Allocated at the first byte, because most programs write nothing to stderr.
  let ring: Buffer | undefined;
  let total = 0;

  return {
    push(chunk) {
      ring ??= Buffer.allocUnsafe(limit);
      const kept = chunk.subarray(Math.max(0, chunk.length - limit));
      const start = limit === 0 ? 0 : (total + chunk.length - kept.length) % limit;
      const first = kept.subarray(0, limit - start);
      ring.set(first, start);
      ring.set(kept.subarray(first.length), 0);
      total += chunk.length;
    },
    text() {
      if (ring === undefined) return '';
      if (total <= limit) return decodeText(ring.subarray(0, total));
      const start = limit === 0 ? 0 : total % limit;
      return decodeText(skipContinuation(Buffer.concat([ring.subarray(start), ring.subarray(0, start)])));
    },
  };
}

// A cut inside a UTF-8 character leaves up to 3 continuation bytes at the start.
function skipContinuation(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.subarray(start);
}

// `StringDecoder.end` is not called, so an incomplete character at the end is omitted instead of shown as U+FFFD.
function decodeText(bytes: Buffer): string {
  return new StringDecoder('utf8').write(bytes);
}
