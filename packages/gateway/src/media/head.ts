import { MediaTooLargeError } from './media-error.ts';

const HEAD_BYTES = 32;

/** An upload whose first bytes are known before the rest is read. */
export interface BegunUpload {
  readonly head: Uint8Array;
  /** All bytes, with the head. Throws a `MediaTooLargeError` beyond the limit. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Number of bytes that were read so far. */
  readonly size: number;
}

/** Reads the first bytes of an upload. */
export async function beginUpload(source: AsyncIterable<Uint8Array>, limit: number): Promise<BegunUpload> {
  const counted = { size: 0 };
  const pieces = countBytes(source, limit, counted);
  const first: Uint8Array[] = [];
  let isDone = false;
  while (!isDone && counted.size < HEAD_BYTES) {
    const piece = await pieces.next();
    if (piece.done === true) isDone = true;
    else first.push(piece.value);
  }
  const head = Buffer.concat(first).subarray(0, HEAD_BYTES);
  return {
    head,
    bytes: joinPieces(first, pieces),
    get size() {
      return counted.size;
    },
  };
}

async function* countBytes(
  source: AsyncIterable<Uint8Array>,
  limit: number,
  counted: { size: number },
): AsyncGenerator<Uint8Array> {
  for await (const piece of source) {
    counted.size += piece.length;
    if (counted.size > limit) throw new MediaTooLargeError(limit);
    yield piece;
  }
}

async function* joinPieces(
  first: readonly Uint8Array[],
  rest: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* first;
    yield* rest;
  } finally {
    // When the reader stops among the first pieces, the rest was never asked for.
    await rest.return(undefined);
  }
}
