/** The beginning and the end of a command's output. */
export interface Output {
  push(chunk: Uint8Array): void;
  /** The text, with the number of bytes left out between the two. */
  text(): string;
}

/** Keeps the first and the last half of `limit` bytes in buffers of fixed size, however much is pushed. */
export function createOutput(limit: number): Output {
  const half = Math.floor(limit / 2);
  const head = Buffer.allocUnsafe(half);
  const ring = Buffer.allocUnsafe(half);
  let headBytes = 0;
  let tailBytes = 0;

  const pushTail = (chunk: Uint8Array): void => {
    const kept = chunk.subarray(Math.max(0, chunk.length - half));
    const start = (tailBytes + chunk.length - kept.length) % half;
    const first = kept.subarray(0, half - start);
    ring.set(first, start);
    ring.set(kept.subarray(first.length), 0);
    tailBytes += chunk.length;
  };
  const tail = (): Buffer => {
    if (tailBytes <= half) return ring.subarray(0, tailBytes);
    const start = tailBytes % half;
    return Buffer.concat([ring.subarray(start), ring.subarray(0, start)]);
  };

  return {
    push(chunk) {
      const forHead = chunk.subarray(0, half - headBytes);
      head.set(forHead, headBytes);
      headBytes += forHead.length;
      if (forHead.length < chunk.length) pushTail(chunk.subarray(forHead.length));
    },
    text() {
      const start = head.subarray(0, headBytes);
      const left = tailBytes - half;
      if (left <= 0) return Buffer.concat([start, tail()]).toString('utf8');
      const end = withoutHalfCharacter(tail());
      return `${wholeCharacters(start).toString('utf8')}\n\n… (${left} bytes left out) …\n\n${end.toString('utf8')}`;
    },
  };
}

// A character that was cut in half would be shown as U+FFFD.
function withoutHalfCharacter(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.subarray(start);
}

function wholeCharacters(bytes: Buffer): Buffer {
  for (let back = 1; back <= 3; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return back < length ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}
