import type { ServerResponse } from 'node:http';
import type { Timing } from './timing.ts';

/** Unsent bytes at which a slow client is disconnected; it can reconnect and continue. */
const BEHIND_BYTES = 1024 * 1024;

/** Unsent bytes above which `full` is true. */
const ENOUGH_BYTES = 256 * 1024;

/** A response with server-sent events. */
export interface EventStream {
  /** Sends bytes from `encodeEvent`, which streams may share. */
  send(bytes: Buffer): void;
  /** Whether the sender should await `ready`. */
  readonly full: boolean;
  /** Settles when there is room or the client is gone. A client that reads no bytes for `stallMs` is disconnected. */
  ready(): Promise<void>;
  end(): void;
  readonly open: boolean;
}

/** A stream without an end, which closes its connection with it. */
export function openEndless(
  outgoing: ServerResponse,
  onClose: () => void,
  timing: Pick<Timing, 'heartbeatMs' | 'stallMs'>,
): EventStream {
  // Without chunked encoding an event takes 1 write instead of 3.
  outgoing.removeHeader('transfer-encoding');
  outgoing.setHeader('connection', 'close');
  return openStream(outgoing, onClose, timing);
}

/** Starts server-sent events; `onClose` is called once, whichever side closes. */
export function openStream(
  outgoing: ServerResponse,
  onClose: () => void,
  { heartbeatMs, stallMs }: Pick<Timing, 'heartbeatMs' | 'stallMs'>,
): EventStream {
  outgoing.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  outgoing.flushHeaders();
  const beating = setInterval(() => void (outgoing.writableLength === 0 && send(BEAT)), heartbeatMs);
  let open = true;
  const close = (): void => {
    if (!open) return;
    open = false;
    clearInterval(beating);
    onClose();
  };
  const send = (bytes: Buffer): void => {
    if (!open) return;
    // Checked before the write: a client that has read all earlier bytes gets a message of any size.
    if (outgoing.writableLength > BEHIND_BYTES) outgoing.destroy();
    else outgoing.write(bytes);
  };
  outgoing.on('close', close);
  outgoing.on('error', close);
  // A `HEAD` request gets the headers only.
  if (outgoing.req.method === 'HEAD') outgoing.end();
  return {
    send,
    ready: () => waitForRoom(outgoing, stallMs),
    end: () => void outgoing.end(),
    get full() {
      return outgoing.writableLength > ENOUGH_BYTES;
    },
    get open() {
      return open;
    },
  };
}

function waitForRoom(outgoing: ServerResponse, stallMs: number): Promise<void> {
  if (!outgoing.writableNeedDrain) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => outgoing.destroy(), stallMs);
    const settle = (): void => {
      clearTimeout(timer);
      outgoing.off('drain', settle).off('close', settle);
      resolve();
    };
    outgoing.on('drain', settle).on('close', settle);
  });
}

const BEAT = Buffer.from(': \n\n');

/** Encodes one event. JSON contains no line feed, so that text in `data` cannot start a new SSE field. */
export function encodeEvent(event: string, data: unknown, id?: number): string {
  const number = id === undefined ? '' : `id: ${id}\n`;
  return `event: ${event}\n${number}data: ${JSON.stringify(data)}\n\n`;
}
