/** One message of an event stream. */
export interface StreamMessage {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: unknown;
}

/** Reads an event stream by the book, apart from the program under test; leaving the loop ends the connection. */
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
  let rest = '';
  try {
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      rest += chunk;
      const messages = rest.split('\n\n');
      rest = messages.pop() ?? '';
      for (const message of messages) {
        const parsed = parse(message);
        if (parsed !== undefined) yield parsed;
      }
    }
  } finally {
    abort.abort();
  }
}

function parse(message: string): StreamMessage | undefined {
  const fields = new Map<string, string>();
  for (const line of message.split('\n')) {
    const at = line.indexOf(':');
    if (at > 0) fields.set(line.slice(0, at), line.slice(at + 1).trimStart());
  }
  const data = fields.get('data');
  if (data === undefined) return undefined;
  return { event: fields.get('event') ?? 'message', id: fields.get('id'), data: JSON.parse(data) };
}
