import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, reach, refusal } from './client.ts';
import { type Contact, createPatience } from './contact.ts';

/** One message of a gateway's event stream. */
export interface StreamMessage {
  readonly event: string;
  readonly id: number | undefined;
  readonly data: unknown;
}

/** Between a stream that has ended and the next. */
const PAUSE_MS = 100;

/**
 * Follows a session from an event on. A connection that breaks is made again, and goes on where it broke off, so that
 * nothing is missed or comes twice; a gateway that refuses ends it.
 */
export async function* followSession(
  contact: Contact,
  sessionId: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<StreamMessage> {
  let last = after;
  const patience = createPatience(contact, signal);
  while (!signal.aborted) {
    let address: Address | undefined;
    try {
      address = contact.find();
      for await (const message of readStream(address, sessionId, last, signal)) {
        patience.succeeded();
        last = message.id ?? last;
        yield message;
      }
      await sleep(PAUSE_MS, undefined, { signal });
    } catch (error) {
      if (signal.aborted) return;
      await patience.failed(error, address);
    }
  }
}

async function* readStream(
  { url, token }: Address,
  sessionId: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<StreamMessage> {
  const response = await reach(url, `/api/sessions/${sessionId}/events?after=${after}`, {
    headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
    signal,
  });
  if (!response.ok || response.body === null) throw refusal(response.status, await response.text());
  let rest = '';
  for await (const chunk of readUntilBroken(response.body)) {
    const messages = `${rest}${chunk}`.split('\n\n');
    rest = messages.pop() ?? '';
    for (const message of messages) {
      const read = readMessage(message);
      if (read !== undefined) yield read;
    }
  }
}

/** A stream that breaks off has ended. */
async function* readUntilBroken(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  try {
    yield* body.pipeThrough(new TextDecoderStream());
  } catch {
    // Whoever follows asks again.
  }
}

function readMessage(text: string): StreamMessage | undefined {
  const fields = new Map(
    text.split('\n').flatMap((line): [string, string][] => {
      const at = line.indexOf(': ');
      return at > 0 ? [[line.slice(0, at), line.slice(at + 2)]] : [];
    }),
  );
  const data = fields.get('data');
  if (data === undefined) return undefined;
  const id = fields.get('id');
  return {
    event: fields.get('event') ?? '',
    id: id === undefined ? undefined : Number(id),
    data: JSON.parse(data),
  };
}
