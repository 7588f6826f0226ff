import type { Ending } from '@plugboard/process';
import type { Case } from '../case.ts';
import type { Act, Recording, Trigger } from './script.ts';

/** One start of the host. */
export interface HostRun {
  readonly message: string;
  readonly trigger: Trigger;
  readonly play: readonly Act[];
}

/** Input of a case; several `runs` belong to the same session. */
export interface HostGiven {
  readonly runs: readonly HostRun[];
  /** Placeholders that `hostCommand` must have; otherwise the case is skipped. */
  readonly needs?: readonly ('{session}' | '{timeout}' | '{message}')[];
  /** Added to the environment of the host process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Seconds that `{timeout}` stands for; 30 when absent. */
  readonly timeoutSecs?: number;
}

/** Observation of the last run. */
export interface HostSight {
  readonly run: HostRun;
  /** Input of the agent; `undefined` if the host never started it. */
  readonly agent: Recording | undefined;
  /** The agent process was alive after the host had exited. */
  readonly agentLeft: boolean;
  readonly stdout: string;
  /** Length of `stdout` after each chunk, with its time in ms since the start. */
  readonly pieces: readonly { readonly at: number; readonly chars: number }[];
  /** `stdout` and stderr, joined. */
  readonly told: string;
  readonly ending: Ending;
  readonly durationMs: number;
  readonly overdue: boolean;
}

export type HostCase = Case<HostGiven, HostSight>;
