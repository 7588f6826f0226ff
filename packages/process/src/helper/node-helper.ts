import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { constants } from 'node:os';
import { dirname } from 'node:path';
import { lastWords } from '../drain.ts';
import { sendSignal } from '../terminate/group.ts';
import { type Call, type Request, readCall } from './call.ts';
import { encodeReport, ORDER_BYTES, ORDERS, REPORTS, SECRET_BYTES } from './wire.ts';

/*
 * The spawn helper for machines without a C compiler: a program that does what helper.c does. Two things differ. Node
 * cannot give back what it has read, so what follows the hello on the connection for stdin passes through here; and
 * it reaps at once, so the number of a process that has exited is not kept for it.
 */

interface Start {
  input?: Call;
  output?: Call;
  process?: ChildProcess;
  abandoned: boolean;
  arrived: number;
}

const [, , path = '', backlog = ''] = process.argv;
const starts = new Map<number, Start>();
const server = createServer({ allowHalfOpen: true });

function tell(what: number, id: number, a = 0, b = 0): boolean {
  return process.stdout.write(encodeReport(what, id, a, b));
}

function startFor(id: number): Start {
  const known = starts.get(id);
  if (known) return known;
  const start = { abandoned: false, arrived: 0 };
  starts.set(id, start);
  return start;
}

function take(call: Call): void {
  const start = startFor(call.id);
  start.arrived += 1;
  if (start.abandoned) {
    call.socket.destroy();
    if (start.arrived === 2) starts.delete(call.id);
    return;
  }
  if (call.request) start.output = call;
  else start.input = call;
  const { input, output } = start;
  if (input && output?.request) run(call.id, start, input, output.socket, output.request);
}

function run(id: number, start: Start, input: Call, output: Socket, { cwd, argv, env }: Request): void {
  const fail = (error: NodeJS.ErrnoException): void => {
    tell(REPORTS.failed, id, Math.abs(error.errno ?? constants.errno.EINVAL));
    starts.delete(id);
    input.socket.destroy();
    output.destroy();
  };
  const [file = '', ...args] = argv;
  try {
    const child = spawn(file, args, { cwd, env, detached: true, stdio: ['pipe', output, 'pipe'] });
    if (child.pid === undefined) return void child.on('error', fail);
    start.process = child;
    tell(REPORTS.started, id, child.pid);
    output.destroy();
    feed(child, input);
    watch(id, child, input.socket);
  } catch (error) {
    fail(error as NodeJS.ErrnoException);
  }
}

function feed({ stdin }: ChildProcess, { socket, rest }: Call): void {
  if (stdin === null) return;
  // The host learns by it that nobody reads any more.
  stdin.on('error', () => socket.destroy()).on('close', () => socket.destroy());
  if (rest.length > 0) stdin.write(rest);
  socket.pipe(stdin);
}

function watch(id: number, child: ChildProcess, input: Socket): void {
  const { stderr } = child;
  stderr?.on('data', (chunk: Buffer) => {
    tell(REPORTS.stderr, id, chunk.length);
    if (process.stdout.write(chunk)) return;
    stderr.pause();
    process.stdout.once('drain', () => stderr.resume());
  });
  child.on('error', () => {});
  child.once('exit', async (code, signal) => {
    input.destroy();
    if (stderr) await lastWords(stderr);
    tell(REPORTS.exited, id, code ?? 0, signal === null ? 0 : constants.signals[signal]);
  });
}

function obey(what: number, id: number): void {
  if (what === ORDERS.abandon && startFor(id).process === undefined) {
    const start = startFor(id);
    start.abandoned = true;
    start.input?.socket.destroy();
    start.output?.socket.destroy();
    tell(REPORTS.failed, id, constants.errno.EAGAIN);
  }
  const child = starts.get(id)?.process;
  if (what !== ORDERS.release || child === undefined) return;
  child.stderr?.destroy();
  starts.delete(id);
}

/** The host is gone: so is everything it started. */
function leave(): void {
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
server.on('connection', (socket) => secret && readCall(socket, secret, take));
process.stdout.on('error', leave);
process.stdin.on('end', leave).on('data', (chunk: Buffer) => {
  orders = Buffer.concat([orders, chunk]);
  if (secret === undefined && orders.length >= SECRET_BYTES) {
    secret = orders.subarray(0, SECRET_BYTES);
    orders = orders.subarray(SECRET_BYTES);
    server.listen({ path, backlog: Number(backlog) }, () => tell(REPORTS.ready, 0, process.pid));
  }
  for (; secret !== undefined && orders.length >= ORDER_BYTES; orders = orders.subarray(ORDER_BYTES)) {
    obey(orders.readUInt32LE(0), orders.readUInt32LE(4));
  }
});
