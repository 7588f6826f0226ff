import { constants } from 'node:os';
import { getSystemErrorName } from 'node:util';
import type { Command } from '../command.ts';
import { diagnose, helperLost } from '../failure.ts';
import type { Departure, ErrorOutput, Started } from '../started.ts';
import { sendSignal } from '../terminate/group.ts';
import type { Link } from './link.ts';
import type { Pair } from './pair.ts';
import type { Watcher } from './watchers.ts';
import { encodeRequest, HELLO_BYTES } from './wire.ts';

/** How long a helper may take to say what became of a start that is to be killed. */
const PATIENCE_MS = 3000;

/** A connection that the helper closes comes with a report; one that the system closed for want of room does not. */
const REPORT_MS = 1000;

/** Errors of a connection that tell of our own limits; the others mean that the helper is gone, which the link tells. */
const OWN_LIMITS: ReadonlySet<string | undefined> = new Set([
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'ENOBUFS',
  'EAGAIN',
]);

// Backwards, because of two names for one number the first is the usual one.
const SIGNALS: ReadonlyMap<number, string> = new Map(
  Object.entries(constants.signals)
    .reverse()
    .map(([name, number]) => [number, name]),
);

interface Start {
  readonly link: Link;
  readonly command: Command;
  readonly id: number;
  pid: number | undefined;
  /** Signals that were sent before there was anybody to get them. */
  readonly early: NodeJS.Signals[];
  patience: NodeJS.Timeout | undefined;
  /** Nothing more will be heard of it. */
  over: boolean;
  depart(how: Departure): void;
}

/**
 * Has the helper start a process. Its streams are there at once: what is written to them waits for the process, and
 * from then on they are plain sockets to it, with nobody in between.
 */
export function startThrough(link: Link, command: Command, cwd: string, mark: string): Started {
  const departure = Promise.withResolvers<Departure>();
  const pair = link.connect();
  const { id, stdin, stdout } = pair;
  const start: Start = {
    link,
    command,
    id,
    pid: undefined,
    early: [],
    patience: undefined,
    over: false,
    depart: departure.resolve,
  };
  const stderr = createErrorOutput();
  link.watch(id, watcherOf(start, stderr.push));
  heed(start, pair);
  stdout.write(encodeRequest(link.secret, id, command, cwd, mark));
  return {
    pid: () => start.pid,
    stdin,
    pendingInput: () => stdin.writableLength - (stdin.connecting ? HELLO_BYTES : 0),
    stdout,
    stderr,
    grouped: true,
    departed: departure.promise,
    signal: (name) => signal(start, name),
    release() {
      if (start.pid !== undefined) link.release(start.id);
    },
  };
}

function watcherOf(start: Start, push: (chunk: Buffer) => void): Watcher {
  return {
    started: (pid) => begin(start, pid),
    failed: (errno) => void fail(start, getSystemErrorName(-errno)),
    exited(code, number) {
      finish(start);
      start.depart(departureOf(code, number));
    },
    stderr: push,
    lost: () => lose(start),
  };
}

/** Later problems are EPIPE and ECONNRESET from a process that has left: how it ended is told by `departed`. */
function heed(start: Start, pair: Pair): void {
  const { link, id } = start;
  pair.onProblem = ({ code, message }) => {
    if (start.pid !== undefined || !OWN_LIMITS.has(code)) return;
    link.abandon(id);
    void fail(start, code ?? message);
  };
  const closed = (): void => {
    if (start.pid === undefined && !start.over) waitFor(start, REPORT_MS, () => link.abandon(id));
  };
  pair.stdout.once('close', closed);
  pair.stdin.once('close', closed);
}

function signal(start: Start, name: NodeJS.Signals): void {
  if (start.pid !== undefined) return sendSignal(-start.pid, name);
  if (start.over) return;
  start.early.push(name);
  if (name !== 'SIGKILL') return;
  start.link.abandon(start.id);
  waitFor(start, PATIENCE_MS, () => start.link.kill());
}

/** Acts unless the helper has told by then what became of the start. */
function waitFor(start: Start, patienceMs: number, act: () => void): void {
  clearTimeout(start.patience);
  start.patience = setTimeout(act, patienceMs);
}

function begin(start: Start, pid: number): void {
  clearTimeout(start.patience);
  start.pid = pid;
  for (const name of start.early) sendSignal(-pid, name);
}

async function fail(start: Start, code: string): Promise<void> {
  if (start.over) return;
  finish(start);
  // Given up because it was to be killed: that is how it ended.
  if (start.early.includes('SIGKILL')) return start.depart({ code: null, signal: 'SIGKILL' });
  const failure = await diagnose(Object.assign(new Error(code), { code }), start.command);
  start.depart({ code: null, signal: null, failure });
}

function lose(start: Start): void {
  finish(start);
  signal(start, 'SIGKILL');
  start.depart({ code: null, signal: 'SIGKILL', failure: helperLost(start.command) });
}

function finish(start: Start): void {
  clearTimeout(start.patience);
  start.over = true;
}

function departureOf(code: number, number: number): Departure {
  if (number === 0) return { code, signal: null };
  const name = SIGNALS.get(number) as NodeJS.Signals | undefined;
  return name === undefined ? { code: 128 + number, signal: null } : { code: null, signal: name };
}

interface PushedOutput extends ErrorOutput {
  push(chunk: Buffer): void;
}

/** The helper tells all that was written before the exit, and then the exit. */
function createErrorOutput(): PushedOutput {
  const listeners: ((chunk: Buffer) => void)[] = [];
  return {
    push(chunk) {
      for (const listener of listeners) listener(chunk);
    },
    onData: (listener) => void listeners.push(listener),
    settled: () => Promise.resolve(),
    close() {},
  };
}
