import type { EventView, SessionView } from '../src/index.ts';

/** One connection that was opened, in the hands of the test. */
export interface FakeConnection {
  /** The number that events were asked for after. */
  readonly after: number;
  readonly signal: AbortSignal;
  send(...messages: readonly string[]): void;
  /** The other side ends it. */
  end(): void;
  /** The network breaks. */
  cut(): void;
}

/** The streams of a gateway without a network. */
export interface FakeStreams {
  readonly connections: readonly FakeConnection[];
  open(after: number, signal: AbortSignal): Promise<Response>;
  /** The next connections fail with these errors, one each. */
  fail(...errors: readonly Error[]): void;
}

export function createFakeStreams(): FakeStreams {
  const connections: FakeConnection[] = [];
  const failures: Error[] = [];
  return {
    connections,
    async open(after, signal) {
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>();
      const writer = writable.getWriter();
      const quietly = (work: Promise<unknown>): void => void work.catch(() => {});
      connections.push({
        after,
        signal,
        send: (...messages) => quietly(writer.write(new TextEncoder().encode(messages.join('')))),
        end: () => quietly(writer.close()),
        cut: () => quietly(writer.abort(new TypeError('terminated'))),
      });
      return new Response(readable);
    },
    fail: (...errors) => void failures.push(...errors),
  };
}

export function eventMessage(number: number): string {
  const view: EventView = {
    number,
    turnId: 't',
    at: 0,
    event: { type: 'delta', kind: 'output', text: `${number}` },
  };
  return `event: event\nid: ${number}\ndata: ${JSON.stringify(view)}\n\n`;
}

export function statusMessage(lastEvent: number): string {
  return `event: status\ndata: ${JSON.stringify({ id: 's', lastEvent } as SessionView)}\n\n`;
}
