import { constants } from 'node:os';
import type { SpawnFailure } from './spawn-failure.ts';

/**
 * Why a process ended: its own exit (`exit`), a `signal` from outside, `stop` with `timeout`, `cancel` or `limit`, or a
 * failed start (`spawn`).
 */
export type Cause = 'exit' | 'signal' | 'timeout' | 'cancel' | 'limit' | 'spawn';

/** The record of an end, the same for all causes. */
export interface Ending {
  /** The first cause; later causes that follow from it are not recorded. */
  readonly cause: Cause;
  /** Null when a signal ended the process. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /**
   * The code of a shell: 128 + n for a signal, 124 for a timeout, 130 for a cancel, 126 or 127 when the start failed.
   */
  readonly exitCode: number;
  /** Milliseconds from spawn to exit, without the drain. */
  readonly durationMs: number;
  readonly stderr: string;
  /** Why the start failed (cause `spawn`), or which resource limit was exceeded (cause `limit`). */
  readonly failure?: SpawnFailure;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export function createEnding(cause: Cause, exit: Exit, durationMs: number, stderr: string): Ending {
  const { code, signal } = exit;
  return { cause, code, signal, exitCode: toExitCode(cause, exit), durationMs, stderr };
}

export function createFailureEnding(failure: SpawnFailure, durationMs: number, stderr = ''): Ending {
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

export function toExitCode(cause: Cause, { code, signal }: Exit): number {
  if (cause === 'timeout') return 124;
  if (cause === 'cancel') return 130;
  const own = code ?? (signal === null ? 1 : 128 + constants.signals[signal]);
  // An agent stopped for a timeout or a broken limit may exit 0 on SIGTERM. That is not a success.
  return own === 0 && cause !== 'exit' ? 1 : own;
}
