import { OversizeError } from './failure.ts';
import type { Fetch } from './stream-repair.ts';

/** Bytes of one answer. 128,000 tokens, each in an event of its own, are some 40 MiB. */
const MOST_BYTES = 128 * 1024 * 1024;

/** Bytes of one line of an answer: a call with a whole file as its input is one line on some servers. */
const MOST_LINE_BYTES = 16 * 1024 * 1024;

const LINE_FEED = 10;

/** The SDK keeps a line in memory until it ends: the body of an answer fails with an `OversizeError` when it is too long. */
export function boundedFetch(fetch: Fetch): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(limitBytes()), { status, statusText, headers });
  };
}

function limitBytes(): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  let line = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      const end = chunk.lastIndexOf(LINE_FEED);
      line = end < 0 ? line + chunk.length : chunk.length - end - 1;
      if (bytes > MOST_BYTES) throw new OversizeError(`is longer than ${MOST_BYTES / 1024 ** 2} MiB`);
      if (line > MOST_LINE_BYTES)
        throw new OversizeError(`has a line that is longer than ${MOST_LINE_BYTES / 1024 ** 2} MiB`);
      controller.enqueue(chunk);
    },
  });
}
