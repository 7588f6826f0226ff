import { type ChildProcess, spawn as start } from 'node:child_process';
import type { Child } from './child.ts';
import type { Command, Limits } from './command.ts';
import { createFailureEnding } from './ending.ts';
import { spawnConfined } from './limits/confine.ts';
import { adaptChildProcess } from './node-child.ts';
import { diagnoseError, type SpawnFailure } from './spawn-failure.ts';
import { superviseProcess } from './supervise.ts';
import { createMark, withMark } from './terminate/stragglers.ts';

/**
 * Starts a process in its own group; the caller must read `stdout`. Never throws: a failed start gives an ending with
 * the cause `spawn`.
 */
export function spawn(command: Command, limits: Limits = {}): Child {
  if (command.resources !== undefined) return spawnConfined(command, (plain) => spawn(plain, limits));
  const at = performance.now();
  const mark = createMark();
  const child = startProcess(command, mark);
  if (child instanceof Error) return createFailedChild(diagnoseError(child, command), at);
  if (child.pid === undefined) {
    return createFailedChild(
      waitForError(child).then((error) => diagnoseError(error, command)),
      at,
    );
  }
  const grouped = command.stdio !== 'inherit';
  return superviseProcess(adaptChildProcess(child, child.pid, grouped), mark, at, limits);
}

// Node reports some errors of `spawn` by throwing and others by an 'error' event.
function startProcess({ file, args, cwd, env, stdio = 'pipe' }: Command, mark: string): ChildProcess | Error {
  try {
    return start(file, args, { cwd, env: withMark(env, mark), stdio, detached: stdio === 'pipe' });
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function waitForError(child: ChildProcess): Promise<Error> {
  // With no free file descriptors (EMFILE), Node creates no streams.
  for (const stream of child.stdio ?? []) stream?.on('error', () => {}).destroy();
  return new Promise((resolve) => {
    child.on('error', resolve);
  });
}

/** A `Child` for a start that failed. */
export function createFailedChild(failure: Promise<SpawnFailure>, at: number): Child {
  const ended = failure.then((reason) => createFailureEnding(reason, performance.now() - at));
  return {
    pid: () => undefined,
    stdout: null,
    ended,
    exited: ended.then(() => {}),
    stderrTail: () => '',
    write: () => true,
    pendingInput: () => 0,
    closeInput() {},
    stop() {},
    onStderr() {},
  };
}
