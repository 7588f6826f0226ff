import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { constants } from 'node:os';
import { dirname } from 'node:path';
import { waitForLastOutput } from '../drain.ts';
import { sendSignal } from '../terminate/send-signal.ts';
import { type Connection, type Request, readConnection } from './connection.ts';
import { encodeReport, ORDER_BYTES, ORDERS, REPORTS, SECRET_BYTES } from './wire.ts';

/*
 * The spawn helper for machines without a C compiler. It implements the protocol of helper.c with two differences. Node
 * cannot put back bytes it has read, so stdin passes through this process. And Node reaps a child at once, so the pid
 * of an exited process is not reserved until the `release` order.
 */

interface Start {
  input?: Connection;
  output?: Connection;
  process?: ChildProcess;
  abandoned: boolean;
  arrived: number;
}

const [, , path = '', backlog = ''] = process.argv;
const starts = new Map<number, Start>();
const server = createServer({ allowHalfOpen: true });

function sendReport(kind: number, id: number, a = 0, b = 0): boolean {
  return process.stdout.write(encodeReport(kind, id, a, b));
}

function getStart(id: number): Start {
  const known = starts.get(id);
  if (known) return known;
  const start = { abandoned: false, arrived: 0 };
  starts.set(id, start);
  return start;
}

function acceptConnection(call: Connection): void {
  const start = getStart(call.id);
  start.arrived += 1;
  if (start.abandoned) {
    call.socket.destroy();
    if (start.arrived === 2) starts.delete(call.id);
    return;
  }
  if (call.request) start.output = call;
  else start.input = call;
  const { input, output } = start;
  if (input && output?.request) startChild(call.id, start, input, output.socket, output.request);
}

function startChild(
  id: number,
  start: Start,
  input: Connection,
  output: Socket,
  { cwd, argv, env }: Request,
): void {
  const fail = (error: NodeJS.ErrnoException): void => {
    sendReport(REPORTS.failed, id, Math.abs(error.errno ?? constants.errno.EINVAL));
    starts.delete(id);
    input.socket.destroy();
    output.destroy();
  };
  const [file = '', ...args] = argv;
  try {
    const child = spawn(file, args, { cwd, env, detached: true, stdio: ['pipe', output, 'pipe'] });
    if (child.pid === undefined) return void child.on('error', fail);
    start.process = child;
    sendReport(REPORTS.started, id, child.pid);
    output.destroy();
    forwardInput(child, input);
    reportChild(id, child, input.socket);
  } catch (error) {
    fail(error as NodeJS.ErrnoException);
  }
}

function forwardInput({ stdin }: ChildProcess, { socket, rest }: Connection): void {
  if (stdin === null) return;
  // Closing the connection tells the host that the child no longer reads stdin.
  stdin.on('error', () => socket.destroy()).on('close', () => socket.destroy());
  if (rest.length > 0) stdin.write(rest);
  socket.pipe(stdin);
}

function reportChild(id: number, child: ChildProcess, input: Socket): void {
  const { stderr } = child;
  stderr?.on('data', (chunk: Buffer) => {
    sendReport(REPORTS.stderr, id, chunk.length);
    if (process.stdout.write(chunk)) return;
    stderr.pause();
    process.stdout.once('drain', () => stderr.resume());
  });
  child.on('error', () => {});
  child.once('exit', async (code, signal) => {
    input.destroy();
    if (stderr) await waitForLastOutput(stderr);
    sendReport(REPORTS.exited, id, code ?? 0, signal === null ? 0 : constants.signals[signal]);
  });
}

function handleOrder(kind: number, id: number): void {
  if (kind === ORDERS.abandon && getStart(id).process === undefined) {
    const start = getStart(id);
    start.abandoned = true;
    start.input?.socket.destroy();
    start.output?.socket.destroy();
    sendReport(REPORTS.failed, id, constants.errno.EAGAIN);
  }
  const child = starts.get(id)?.process;
  if (kind !== ORDERS.release || child === undefined) return;
  child.stderr?.destroy();
  starts.delete(id);
}

/** The host has exited: kills all process groups and removes the socket's folder. */
function shutDown(): void {
  rmSync(dirname(path), { recursive: true, force: true });
  server.close();
  for (const { process: child, input, output } of starts.values()) {
    input?.socket.destroy();
    output?.socket.destroy();
    if (child?.pid === undefined) continue;
    if (child.exitCode === null && child.signalCode === null) sendSignal(-child.pid, 'SIGKILL');
    child.stderr?.destroy();
    child.unref();
  }
}

let orders: Buffer = Buffer.alloc(0);
let secret: Buffer | undefined;
server.on('connection', (socket) => secret && readConnection(socket, secret, acceptConnection));
process.stdout.on('error', shutDown);
process.stdin.on('end', shutDown).on('data', (chunk: Buffer) => {
  orders = Buffer.concat([orders, chunk]);
  if (secret === undefined && orders.length >= SECRET_BYTES) {
    secret = orders.subarray(0, SECRET_BYTES);
    orders = orders.subarray(SECRET_BYTES);
    server.listen({ path, backlog: Number(backlog) }, () => sendReport(REPORTS.ready, 0, process.pid));
  }
  for (; secret !== undefined && orders.length >= ORDER_BYTES; orders = orders.subarray(ORDER_BYTES)) {
    handleOrder(orders.readUInt32LE(0), orders.readUInt32LE(4));
  }
});
