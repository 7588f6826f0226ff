import { constants } from 'node:os';
import { getSystemErrorName } from 'node:util';
import type { Command } from '../command.ts';
import { createHelperLostFailure, diagnoseError } from '../spawn-failure.ts';
import type { Departure, ErrorOutput, StartedProcess } from '../started-process.ts';
import { sendSignal } from '../terminate/send-signal.ts';
import type { HelperProcess } from './helper-process.ts';
import type { SocketPair } from './socket-pair.ts';
import type { Watcher } from './watchers.ts';
import { encodeRequest, HELLO_BYTES } from './wire.ts';

/** How long a helper may take to report on an abandoned start. */
const ABANDON_MS = 3000;

/**
 * A connection closed by the helper is followed by a report. Without one within this time, the kernel closed it because
 * the queue was full.
 */
const REPORT_MS = 1000;

/**
 * Connection errors caused by limits of our own process. Other codes mean that the helper is gone, which
 * `HelperProcess.gone` reports.
 */
const OWN_LIMITS: ReadonlySet<string | undefined> = new Set([
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'ENOBUFS',
  'EAGAIN',
]);

// Reversed, so that of two names for one number the first in `constants.signals` wins: SIGABRT, not SIGIOT.
const SIGNALS: ReadonlyMap<number, string> = new Map(
  Object.entries(constants.signals)
    .reverse()
    .map(([name, number]) => [number, name]),
);

interface Start {
  readonly helper: HelperProcess;
  readonly command: Command;
  readonly id: number;
  pid: number | undefined;
  /** Signals sent before the pid was known. */
  readonly pendingSignals: NodeJS.Signals[];
  reportTimer: NodeJS.Timeout | undefined;
  /** True once the helper has reported the exit or the failure. */
  hasReported: boolean;
  settle(how: Departure): void;
}

/**
 * Asks the helper to start a process. The streams exist at once: written data waits for the process, then the sockets
 * connect host and process directly.
 */
export function spawnThroughHelper(
  helper: HelperProcess,
  command: Command,
  cwd: string,
  mark: string,
): StartedProcess {
  const departure = Promise.withResolvers<Departure>();
  const pair = helper.connect();
  const { id, stdin, stdout } = pair;
  const start: Start = {
    helper,
    command,
    id,
    pid: undefined,
    pendingSignals: [],
    reportTimer: undefined,
    hasReported: false,
    settle: departure.resolve,
  };
  const stderr = createErrorOutput();
  helper.watch(id, createWatcher(start, stderr.push));
  watchConnections(start, pair);
  stdout.write(encodeRequest(helper.secret, id, command, cwd, mark));
  return {
    pid: () => start.pid,
    stdin,
    pendingInput: () => stdin.writableLength - (stdin.connecting ? HELLO_BYTES : 0),
    stdout,
    stderr,
    grouped: true,
    departed: departure.promise,
    signal: (name) => sendOrQueueSignal(start, name),
    release() {
      if (start.pid !== undefined) helper.release(start.id);
    },
  };
}

function createWatcher(start: Start, push: (chunk: Buffer) => void): Watcher {
  return {
    started: (pid) => recordStart(start, pid),
    failed: (errno) => void failStart(start, getSystemErrorName(-errno)),
    exited(code, number) {
      endStart(start);
      start.settle(decodeExit(code, number));
    },
    stderr: push,
    lost: () => recordHelperLoss(start),
  };
}

/** Errors after the start are EPIPE and ECONNRESET from an exited process; `departed` reports its end. */
function watchConnections(start: Start, pair: SocketPair): void {
  const { helper, id } = start;
  pair.onProblem = ({ code, message }) => {
    if (start.pid !== undefined || !OWN_LIMITS.has(code)) return;
    helper.abandon(id);
    void failStart(start, code ?? message);
  };
  const closed = (): void => {
    if (start.pid === undefined && !start.hasReported)
      setReportTimeout(start, REPORT_MS, () => helper.abandon(id));
  };
  pair.stdout.once('close', closed);
  pair.stdin.once('close', closed);
}

function sendOrQueueSignal(start: Start, name: NodeJS.Signals): void {
  if (start.pid !== undefined) return sendSignal(-start.pid, name);
  if (start.hasReported) return;
  start.pendingSignals.push(name);
  if (name !== 'SIGKILL') return;
  start.helper.abandon(start.id);
  setReportTimeout(start, ABANDON_MS, () => start.helper.kill());
}

/** Calls `act` unless the helper reports on the start within `patienceMs`. */
function setReportTimeout(start: Start, patienceMs: number, act: () => void): void {
  clearTimeout(start.reportTimer);
  start.reportTimer = setTimeout(act, patienceMs);
}

function recordStart(start: Start, pid: number): void {
  clearTimeout(start.reportTimer);
  start.pid = pid;
  for (const name of start.pendingSignals) sendSignal(-pid, name);
}

async function failStart(start: Start, code: string): Promise<void> {
  if (start.hasReported) return;
  endStart(start);
  // The start was abandoned after a SIGKILL, so the ending reports that signal.
  if (start.pendingSignals.includes('SIGKILL')) return start.settle({ code: null, signal: 'SIGKILL' });
  const failure = await diagnoseError(Object.assign(new Error(code), { code }), start.command);
  start.settle({ code: null, signal: null, failure });
}

function recordHelperLoss(start: Start): void {
  endStart(start);
  sendOrQueueSignal(start, 'SIGKILL');
  start.settle({ code: null, signal: 'SIGKILL', failure: createHelperLostFailure(start.command) });
}

function endStart(start: Start): void {
  clearTimeout(start.reportTimer);
  start.hasReported = true;
}

function decodeExit(code: number, number: number): Departure {
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
