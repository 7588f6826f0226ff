import { type ChildProcess, spawn as start } from 'node:child_process';
import type { Child } from './child.ts';
import type { Command, Limits } from './command.ts';
import { startedDirectly } from './direct.ts';
import { endingOfFailure } from './ending.ts';
import { diagnose, type SpawnFailure } from './failure.ts';
import { spawnConfined } from './limits/confine.ts';
import { follow } from './running.ts';
import { createMark, withMark } from './terminate/stragglers.ts';

/**
 * Starts a process in a group of its own, whose `stdout` must be read. Never throws: whatever keeps it from starting is an
 * ending with the cause `spawn`.
 */
export function spawn(command: Command, limits: Limits = {}): Child {
  if (command.resources !== undefined) return spawnConfined(command, (plain) => spawn(plain, limits));
  const at = performance.now();
  const mark = createMark();
  const child = launch(command, mark);
  if (child instanceof Error) return stillborn(diagnose(child, command), at);
  if (child.pid === undefined) {
    return stillborn(
      failureOf(child).then((error) => diagnose(error, command)),
      at,
    );
  }
  const grouped = command.stdio !== 'inherit';
  return follow(startedDirectly(child, child.pid, grouped), mark, at, limits);
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

/** A child that was never alive. */
export function stillborn(failure: Promise<SpawnFailure>, at: number): Child {
  const ended = failure.then((reason) => endingOfFailure(reason, performance.now() - at));
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
