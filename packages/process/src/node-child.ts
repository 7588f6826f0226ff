import type { ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { waitForLastOutput } from './drain.ts';
import type { Departure, ErrorOutput, StartedProcess } from './started-process.ts';
import { sendSignal } from './terminate/send-signal.ts';

/** Adapts a `ChildProcess` of Node to `StartedProcess`. */
export function adaptChildProcess(child: ChildProcess, pid: number, grouped: boolean): StartedProcess {
  const { stdin } = child;
  const stdout = detachStdout(child);
  ignoreErrors(child);
  return {
    pid: () => pid,
    stdin,
    pendingInput: () => stdin?.writableLength ?? 0,
    stdout,
    stderr: child.stderr === null ? null : createErrorOutput(child.stderr),
    grouped,
    departed: new Promise<Departure>((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal }));
    }),
    signal(name) {
      if (grouped) sendSignal(-pid, name);
      else child.kill(name);
    },
    release() {},
  };
}

function createErrorOutput(stderr: Readable): ErrorOutput {
  return {
    onData: (listener) => void stderr.on('data', listener),
    settled: () => waitForLastOutput(stderr),
    close: () => void stderr.destroy(),
  };
}

/**
 * After an exit Node resumes every stream in `child.stdio`, even if its reader has paused it or has not added a
 * listener yet, and the bytes are lost. Removing stdout from that list leaves the stream to its reader.
 */
function detachStdout(child: ChildProcess): Socket | null {
  if (child.stdio !== undefined) Reflect.set(child.stdio, 1, null);
  return child.stdout instanceof Socket ? child.stdout : null;
}

// EPIPE comes from a child that does not read, ECONNRESET from a killed child. `departed` reports the end of the
// process.
function ignoreErrors(child: ChildProcess): void {
  const ignore = (): void => {};
  child.on('error', ignore);
  child.stdin?.on('error', ignore);
  child.stdout?.on('error', ignore);
  child.stderr?.on('error', ignore);
}
