import { createSse, pushSse } from '@plugboard/client';

/** One message of an event stream. */
export interface StreamMessage {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: unknown;
}

/** Reads one connection to an event stream; leaving the loop ends it. */
export async function* readStream(
  url: string,
  headers: Record<string, string>,
): AsyncGenerator<StreamMessage> {
  const abort = new AbortController();
  const response = await fetch(url, {
    headers: { accept: 'text/event-stream', ...headers },
    signal: abort.signal,
  });
  if (!response.ok || response.body === null) throw new Error(`${response.status}: ${await response.text()}`);
  const state = createSse();
  try {
    for await (const chunk of response.body) {
      for (const { event, id, data } of pushSse(state, chunk)) {
        yield { event, id: id ?? undefined, data: JSON.parse(data) };
      }
    }
  } finally {
    abort.abort();
  }
}
