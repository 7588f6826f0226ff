import { connect, type Socket } from 'node:net';
import { onTestEnd } from '@plugboard/testkit';

/** An answer, read off the wire. */
export interface RawAnswer {
  /** 0 when there was none. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Everything that came. */
  readonly text: string;
  /** The other side has closed the connection. */
  readonly closed: boolean;
}

/** A connection over which anything can be said. */
export function dial(port: number, host = '127.0.0.1'): Socket {
  const socket = connect(port, host);
  socket.on('error', () => {});
  onTestEnd(() => void socket.destroy());
  return socket;
}

/** Sends bytes as they are, and reads until the connection is closed or nothing has come for a while. */
export function exchange(
  port: number,
  bytes: string | Buffer,
  quietMs = 60,
  host?: string,
): Promise<RawAnswer> {
  const socket = dial(port, host);
  socket.write(bytes);
  return listenTo(socket, quietMs);
}

export function listenTo(socket: Socket, quietMs = 60): Promise<RawAnswer> {
  return new Promise((resolve) => {
    let text = '';
    const done = (closed: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(parse(text, closed));
    };
    let timer = setTimeout(done, 3_000, false);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      clearTimeout(timer);
      timer = setTimeout(done, quietMs, false);
    });
    socket.on('close', () => done(true));
  });
}

function parse(text: string, closed: boolean): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const pairs = lines.map((line) => {
    const at = line.indexOf(':');
    return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
  });
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1] ?? 0);
  return { status, headers: Object.fromEntries(pairs), body: rest.join('\r\n\r\n'), text, closed };
}

/** A request as text. */
export function request(line: string, headers: Readonly<Record<string, string>>, body = ''): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${line} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}
