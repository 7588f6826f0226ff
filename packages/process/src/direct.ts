import type { ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { lastWords } from './drain.ts';
import type { Departure, ErrorOutput, Started } from './started.ts';
import { sendSignal } from './terminate/group.ts';

/** A process that we started ourselves. */
export function startedDirectly(child: ChildProcess, pid: number, grouped: boolean): Started {
  const { stdin } = child;
  const stdout = ownStdout(child);
  silenceErrors(child);
  return {
    pid: () => pid,
    stdin,
    pendingInput: () => stdin?.writableLength ?? 0,
    stdout,
    stderr: child.stderr === null ? null : errorOutput(child.stderr),
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

function errorOutput(stderr: Readable): ErrorOutput {
  return {
    onData: (listener) => void stderr.on('data', listener),
    settled: () => lastWords(stderr),
    close: () => void stderr.destroy(),
  };
}

/**
 * After an exit Node resumes every stream it finds in `stdio`, also one that its reader has paused or not yet
 * listened to, and the bytes are gone. Out of that list, the stream belongs to its reader alone.
 */
function ownStdout(child: ChildProcess): Socket | null {
  if (child.stdio !== undefined) Reflect.set(child.stdio, 1, null);
  return child.stdout instanceof Socket ? child.stdout : null;
}

// EPIPE from a child that does not read, ECONNRESET from one that was killed: how it ended is told by `departed`.
function silenceErrors(child: ChildProcess): void {
  const ignore = (): void => {};
  child.on('error', ignore);
  child.stdin?.on('error', ignore);
  child.stdout?.on('error', ignore);
  child.stderr?.on('error', ignore);
}
