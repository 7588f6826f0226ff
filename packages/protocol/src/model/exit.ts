import type { Failure } from './event.ts';
import { wellFormedTail } from './gathered.ts';

/** The exit of the process behind a turn, as `HostSide` needs it. */
export interface Exit {
  readonly cause: 'exit' | 'signal' | 'timeout' | 'cancel' | 'limit' | 'spawn';
  readonly code: number | null;
  readonly signal: string | null;
  /** The exit code as a shell reports it: the code, `128 + n` for a signal, 124 for a timeout. */
  readonly exitCode: number;
  readonly durationMs: number;
  /** The tail of the process's stderr. */
  readonly stderr: string;
  /** Why the process could not be started, or why it was stopped. */
  readonly failure?: { readonly code: string; readonly message: string };
}

/** Limit of stderr in `Failure.detail`: enough for a long traceback. */
const DETAIL_CHARS = 2_000;

/** The failure of a process with a non-zero exit, with the end of its stderr as `detail`. */
export function exitFailure(exit: Exit, code?: string): Failure {
  const detail = wellFormedTail(exit.stderr.trim(), DETAIL_CHARS);
  return {
    message: describeExit(exit),
    ...(code === undefined ? {} : { code }),
    ...(detail === '' ? {} : { detail }),
  };
}

/** A sentence for the operator about a process that failed. */
export function describeExit(exit: Exit): string {
  if (exit.failure !== undefined) return exit.failure.message;
  if (exit.signal !== null) return `The agent was killed by ${exit.signal}.`;
  return `The agent exited with code ${exit.exitCode}.`;
}
