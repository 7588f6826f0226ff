import type { ResourceLimits } from './limits/resources.ts';

/** A program to start, with its arguments and environment. */
export interface Command {
  /** The executable, looked up on `env.PATH` unless it holds a slash. */
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  /** The whole environment: `process.env` is not merged in. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * `pipe` (default) gives the child pipes and its own process group. `inherit` gives it our terminal and leaves it in
   * our group, because a terminal only lets its foreground group read.
   */
  readonly stdio?: 'pipe' | 'inherit';
  /** Limits of memory and processes; no limit when absent. */
  readonly resources?: ResourceLimits;
  /** The original command, for messages, when `spawnConfined` starts a shell in its place. */
  readonly wraps?: Command;
}

/** Timeouts at the end of a process, and the size of the stderr tail. */
export interface Limits {
  /** Milliseconds from SIGTERM to SIGKILL; default 5000, 0 kills at once. */
  readonly killGraceMs?: number;
  /** How long stdout may stay silent and open after the exit; default 500. */
  readonly drainMs?: number;
  /** How many bytes of the end of stderr are kept; default 65536. */
  readonly stderrTailBytes?: number;
}
