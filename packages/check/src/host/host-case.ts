import type { Ending } from '@plugboard/process';
import type { Case } from '../case.ts';
import type { Act, Recording, Trigger } from './script.ts';

/** One start of the host. */
export interface HostRun {
  readonly message: string;
  readonly trigger: Trigger;
  readonly play: readonly Act[];
}

/** What a host is given: one run, or several in the same session. */
export interface HostGiven {
  readonly runs: readonly HostRun[];
  /** Placeholders without which the case cannot be put to the host. */
  readonly needs?: readonly ('{session}' | '{timeout}' | '{message}')[];
  /** Variables in the environment of the host itself. */
  readonly env?: Readonly<Record<string, string>>;
  /** Seconds that `{timeout}` stands for; 30 when absent. */
  readonly timeoutSecs?: number;
}

/** What was seen of the last run. */
export interface HostSight {
  readonly run: HostRun;
  /** What the agent was given; undefined when it was never started. */
  readonly agent: Recording | undefined;
  /** The agent was still running when the host had ended. */
  readonly agentLeft: boolean;
  /** What the user was shown. */
  readonly stdout: string;
  /** When how much of `stdout` had come, in milliseconds since the start. */
  readonly pieces: readonly { readonly at: number; readonly chars: number }[];
  /** The same, with what was said beside it. */
  readonly told: string;
  readonly ending: Ending;
  readonly durationMs: number;
  readonly overdue: boolean;
}

export type HostCase = Case<HostGiven, HostSight>;
