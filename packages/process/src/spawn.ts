import { type ChildProcess, spawn as start } from 'node:child_process';
import type { Child } from './child.ts';
import type { Command, Limits } from './command.ts';
import { endingOfFailure } from './ending.ts';
import { diagnose } from './failure.ts';
import { follow } from './running.ts';
import { createMark, withMark } from './terminate/stragglers.ts';

/** Never throws: whatever keeps the process from starting is an ending with the cause `spawn`. */
export function spawn(command: Command, limits: Limits = {}): Child {
  const at = performance.now();
  const mark = createMark();
  const started = launch(command, mark);
  if (started instanceof Error) return stillborn(command, Promise.resolve(started), at);
  if (started.pid === undefined) return stillborn(command, failureOf(started), at);
  const grouped = command.stdio !== 'inherit';
  return follow({ process: started, pid: started.pid, mark, grouped, at }, limits);
}

// Node reports some errors of the very same system call by throwing and others by an event.
function launch({ file, args, cwd, env, stdio = 'pipe' }: Command, mark: string): ChildProcess | Error {
  try {
    return start(file, args, { cwd, env: withMark(env, mark), stdio, detached: stdio === 'pipe' });
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function failureOf(child: ChildProcess): Promise<Error> {
  // Out of file descriptors, Node makes no streams at all.
  for (const stream of child.stdio ?? []) stream?.on('error', () => {}).destroy();
  return new Promise((resolve) => {
    child.on('error', resolve);
  });
}

function stillborn(command: Command, failure: Promise<Error>, at: number): Child {
  const ended = failure
    .then((error) => diagnose(error, command))
    .then((reason) => endingOfFailure(reason, performance.now() - at));
  return {
    pid: undefined,
    stdout: null,
    ended,
    exited: ended.then(() => {}),
    stderrTail: () => '',
    write: () => true,
    pendingInput: 0,
    closeInput() {},
    stop() {},
    onStderr() {},
  };
}
