import type { Command } from '../command.ts';
import { MARKER, markWithin } from '../terminate/stragglers.ts';

/* The wire format between a host and its spawn helper. The opening comment of helper.c specifies it. */

export const SECRET_BYTES = 32;
export const HELLO_BYTES: number = SECRET_BYTES + 8;
export const REPORT_BYTES = 16;
export const ORDER_BYTES = 8;

/** Larger than any system's ARG_MAX, so that the helper can report E2BIG. */
export const LONGEST_REQUEST: number = 64 * 1024 * 1024;

export const ORDERS = { release: 1, abandon: 2 } as const;
export const REPORTS = { ready: 1, started: 2, failed: 3, exited: 4, stderr: 5 } as const;

/** The first bytes of a connection; `length` bytes of a request follow. */
export function encodeHello(secret: Buffer, id: number, length = 0): Buffer {
  const hello = Buffer.allocUnsafe(HELLO_BYTES);
  writeHello(hello, secret, id, length);
  return hello;
}

function writeHello(into: Buffer, secret: Buffer, id: number, length: number): void {
  secret.copy(into);
  into.writeUInt32LE(id, SECRET_BYTES);
  into.writeUInt32LE(length, SECRET_BYTES + 4);
}

/** A hello and its request in one buffer. The strings of `command` must hold no zero byte. */
export function encodeRequest(
  secret: Buffer,
  id: number,
  command: Command,
  cwd: string,
  mark: string,
): Buffer {
  const { file, args, env } = command;
  let text = `${cwd}\0${file}\0`;
  for (const argument of args) text += `${argument}\0`;
  let variables = 1;
  for (const name in env) {
    if (name === MARKER) continue;
    text += `${name}=${env[name]}\0`;
    variables += 1;
  }
  text += `${MARKER}=${markWithin(env, mark)}\0`;
  const length = 8 + Buffer.byteLength(text);
  const request = Buffer.allocUnsafe(HELLO_BYTES + length);
  writeHello(request, secret, id, length);
  request.writeUInt32LE(1 + args.length, HELLO_BYTES);
  request.writeUInt32LE(variables, HELLO_BYTES + 4);
  request.write(text, HELLO_BYTES + 8);
  return request;
}

export function encodeOrder(kind: number, id: number): Buffer {
  const order = Buffer.allocUnsafe(ORDER_BYTES);
  order.writeUInt32LE(kind, 0);
  order.writeUInt32LE(id, 4);
  return order;
}

export function encodeReport(kind: number, id: number, a = 0, b = 0): Buffer {
  const report = Buffer.allocUnsafe(REPORT_BYTES);
  report.writeUInt32LE(kind, 0);
  report.writeUInt32LE(id, 4);
  report.writeInt32LE(a, 8);
  report.writeInt32LE(b, 12);
  return report;
}
