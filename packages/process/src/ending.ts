import { constants } from 'node:os';
import type { SpawnFailure } from './failure.ts';

/** What ended a process: itself (`exit`), a `signal` from elsewhere, the host for one of its reasons, or a start that failed (`spawn`). */
export type Cause = 'exit' | 'signal' | 'timeout' | 'cancel' | 'limit' | 'spawn';

/** How a process ended, the same record for every kind of end. */
export interface Ending {
  /** What ended the process first; what followed from it does not count. */
  readonly cause: Cause;
  /** Null when a signal killed it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** As a shell would say it: 128 + n for signals, 124 for a timeout, 130 for a cancel, 126 or 127 when it did not start. */
  readonly exitCode: number;
  /** From spawn to exit, without the drain. */
  readonly durationMs: number;
  readonly stderr: string;
  /** Why it could not be started (cause `spawn`), or which limit of resources it broke (cause `limit`). */
  readonly failure?: SpawnFailure;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export function endingOf(cause: Cause, exit: Exit, durationMs: number, stderr: string): Ending {
  const { code, signal } = exit;
  return { cause, code, signal, exitCode: exitCodeOf(cause, exit), durationMs, stderr };
}

export function endingOfFailure(failure: SpawnFailure, durationMs: number, stderr = ''): Ending {
  return {
    cause: 'spawn',
    code: null,
    signal: null,
    exitCode: failure.exitCode,
    durationMs,
    stderr,
    failure,
  };
}

export function exitCodeOf(cause: Cause, { code, signal }: Exit): number {
  if (cause === 'timeout') return 124;
  if (cause === 'cancel') return 130;
  const own = code ?? (signal === null ? 1 : 128 + constants.signals[signal]);
  // A program stopped for breaking the protocol or a limit may still exit 0 on SIGTERM; that is no success.
  return own === 0 && cause !== 'exit' ? 1 : own;
}
