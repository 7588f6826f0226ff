import type { ServerResponse } from 'node:http';
import { TIMING, type Timing } from './timing.ts';

/** What a client that reads too slowly may leave behind before it is cut off; it can come back and go on. */
const BEHIND_BYTES = 1024 * 1024;

/** So much on its way is enough: a sender that has more, and can wait, does. */
const ENOUGH_BYTES = 256 * 1024;

/** A response that goes on: one message after another. */
export interface EventStream {
  /** Sends bytes made by `encode`, which may be shared with other streams. */
  send(bytes: Buffer): void;
  /** More should wait until `ready` says so. */
  readonly full: boolean;
  /** Settles when there is room again, or nobody left to send to. Who makes no room for too long is cut off. */
  ready(): Promise<void>;
  end(): void;
  readonly open: boolean;
}

/** A stream that goes on until somebody leaves, and then takes its connection with it. */
export function openEndless(
  outgoing: ServerResponse,
  onClose: () => void,
  timing: Pick<Timing, 'heartbeatMs' | 'stallMs'>,
): EventStream {
  // Where the end of the connection is the end of the answer, what is sent needs no frame around it: one write, not three.
  outgoing.removeHeader('transfer-encoding');
  outgoing.setHeader('connection', 'close');
  return openStream(outgoing, onClose, timing);
}

/** Begins a stream of server-sent events; `onClose` is called once, whoever ended it. */
export function openStream(
  outgoing: ServerResponse,
  onClose: () => void,
  { heartbeatMs, stallMs }: Pick<Timing, 'heartbeatMs' | 'stallMs'> = TIMING,
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
    // However much is sent at once, who has read everything before gets it.
    if (outgoing.writableLength > BEHIND_BYTES) outgoing.destroy();
    else outgoing.write(bytes);
  };
  outgoing.on('close', close);
  outgoing.on('error', close);
  // Whoever asks for the headers alone has them.
  if (outgoing.req.method === 'HEAD') outgoing.end();
  return {
    send,
    ready: () => room(outgoing, stallMs),
    end: () => void outgoing.end(),
    get full() {
      return outgoing.writableLength > ENOUGH_BYTES;
    },
    get open() {
      return open;
    },
  };
}

function room(outgoing: ServerResponse, stallMs: number): Promise<void> {
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

/** One message. JSON has no line feed of its own, so that what was said cannot pretend to be a field of the stream. */
export function encode(event: string, data: unknown, id?: number): string {
  const number = id === undefined ? '' : `id: ${id}\n`;
  return `event: ${event}\n${number}data: ${JSON.stringify(data)}\n\n`;
}
