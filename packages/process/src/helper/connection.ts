import { timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import { HELLO_BYTES, LONGEST_REQUEST, SECRET_BYTES } from './wire.ts';

/** The command that the host asks a helper to start. */
export interface Request {
  readonly cwd: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A connection whose hello has been read. */
export interface Connection {
  readonly id: number;
  readonly socket: Socket;
  /** Only on the connection for stdout. */
  readonly request: Request | undefined;
  /** Bytes read after the hello: the beginning of stdin. */
  readonly rest: Buffer;
}

/**
 * Reads a hello, and the request if `length` is not 0. A client with a wrong secret is disconnected without a reply.
 */
export function readConnection(socket: Socket, secret: Buffer, onCall: (call: Connection) => void): void {
  let bytes: Buffer = Buffer.alloc(0);
  const hear = (chunk: Buffer): void => {
    bytes = Buffer.concat([bytes, chunk]);
    if (bytes.length < HELLO_BYTES) return;
    const length = bytes.readUInt32LE(SECRET_BYTES + 4);
    const known = timingSafeEqual(bytes.subarray(0, SECRET_BYTES), secret);
    if (!known || length > LONGEST_REQUEST) return void socket.destroy();
    if (bytes.length < HELLO_BYTES + length) return;
    socket.pause().off('data', hear);
    const request =
      length === 0 ? undefined : decodeRequest(bytes.subarray(HELLO_BYTES, HELLO_BYTES + length));
    const rest = bytes.subarray(HELLO_BYTES + length);
    onCall({ id: bytes.readUInt32LE(SECRET_BYTES), socket, request, rest });
  };
  socket.on('data', hear).on('error', () => {});
}

function decodeRequest(body: Buffer): Request {
  const count = body.readUInt32LE(0);
  const [cwd = '', ...strings] = body.toString('utf8', 8, body.length - 1).split('\0');
  const variables = strings.slice(count).map((text): [string, string] => {
    const at = text.indexOf('=');
    return [text.slice(0, at), text.slice(at + 1)];
  });
  return { cwd, argv: strings.slice(0, count), env: Object.fromEntries(variables) };
}
