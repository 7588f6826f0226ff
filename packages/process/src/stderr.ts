import { StringDecoder } from 'node:string_decoder';

export interface Tail {
  push(chunk: Uint8Array): void;
  text(): string;
}

/** The last `limit` bytes in one fixed ring: a flood costs a copy, and many tiny chunks cost no more than one big one. */
export function createTail(limit: number): Tail {
  // Most programs write nothing to stderr, so the ring is made by the first byte.
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
      if (total <= limit) return decode(ring.subarray(0, total));
      const start = limit === 0 ? 0 : total % limit;
      return decode(afterContinuation(Buffer.concat([ring.subarray(start), ring.subarray(0, start)])));
    },
  };
}

// A cut inside a character leaves up to three continuation bytes in front that would decode to noise.
function afterContinuation(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.subarray(start);
}

// Without the decoder's end(), so that a character still arriving is left out instead of shown as broken.
function decode(bytes: Buffer): string {
  return new StringDecoder('utf8').write(bytes);
}
