import type { ResourceLimits } from './limits/resources.ts';

/** What is to be started, and with what. */
export interface Command {
  /** The executable, looked up on `env.PATH` unless it holds a slash. */
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  /** The whole environment: nothing is inherited behind the caller's back. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * `pipe` (default) gives the child pipes and a process group of its own. `inherit` gives it our terminal and
   * leaves it in our group, because a terminal only lets its foreground group read.
   */
  readonly stdio?: 'pipe' | 'inherit';
  /** How much of the machine it may take; nothing is limited when absent. */
  readonly resources?: ResourceLimits;
  /** The command that this one becomes, for messages: what is started is a shell that sets limits. */
  readonly wraps?: Command;
}

/** How much patience a process is given at its end, and how much of its stderr is kept. */
export interface Limits {
  /** From SIGTERM to SIGKILL; default 5000, 0 kills at once. */
  readonly killGraceMs?: number;
  /** How long stdout may stay silent and open after the process has exited; default 500. */
  readonly drainMs?: number;
  /** How much of the end of stderr is kept; default 65536. */
  readonly stderrTailBytes?: number;
}
