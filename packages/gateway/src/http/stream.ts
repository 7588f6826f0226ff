import type { ServerResponse } from 'node:http';

/** What a client that reads too slowly may leave behind before it is cut off; it can come back and go on. */
const BEHIND_BYTES = 1024 * 1024;
const HEARTBEAT_MS = 15_000;

/** A response that goes on: one message after another. */
export interface EventStream {
  /** Sends bytes made by `encode`, which may be shared with other streams. */
  send(bytes: Buffer): void;
  end(): void;
  readonly open: boolean;
}

/** Begins a stream of server-sent events; `onClose` is called once, whoever ended it. */
export function openStream(outgoing: ServerResponse, onClose: () => void): EventStream {
  outgoing.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  outgoing.flushHeaders();
  const heartbeat = setInterval(() => send(BEAT), HEARTBEAT_MS);
  let open = true;
  const close = (): void => {
    if (!open) return;
    open = false;
    clearInterval(heartbeat);
    onClose();
  };
  const send = (bytes: Buffer): void => {
    if (!open) return;
    outgoing.write(bytes);
    if (outgoing.writableLength > BEHIND_BYTES) outgoing.destroy();
  };
  outgoing.on('close', close);
  outgoing.on('error', close);
  return {
    send,
    end: () => void outgoing.end(),
    get open() {
      return open;
    },
  };
}

const BEAT = Buffer.from(': \n\n');

/** One message. JSON has no line feed of its own, so that what was said cannot pretend to be a field of the stream. */
export function encode(event: string, data: unknown, id?: number): string {
  const number = id === undefined ? '' : `id: ${id}\n`;
  return `event: ${event}\n${number}data: ${JSON.stringify(data)}\n\n`;
}
