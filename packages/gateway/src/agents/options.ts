import type { AgentStream, Ask, OpenAgent, Profile } from '@plugboard/host';
import type { Errand, Errands } from '@plugboard/store';
import type { OpenAsks } from '../asks/open-asks.ts';
import type { AgentConfig } from '../config/config.ts';
import type { Logger } from '../log.ts';
import type { TurnRecorder } from '../record/turn-recorder.ts';
import type { ProcessWatch } from './process-watch.ts';
import type { AgentListener } from './turn-agent.ts';

export interface AgentsOptions {
  readonly agents: ReadonlyMap<string, AgentConfig>;
  readonly defaultName: string;
  /** Opens an agent with a process for each turn. */
  readonly open: (profile: Profile, recorder: TurnRecorder | undefined) => OpenAgent;
  /** Opens a resident agent; `watch` is told when its processes start and end. */
  readonly openStream: (
    profile: Profile,
    recorder: TurnRecorder | undefined,
    watch: ProcessWatch,
    ask: Ask | undefined,
  ) => AgentStream;
  /** Forwards questions of agents to users. */
  readonly asks: Pick<OpenAsks, 'by'>;
  /** Returns undefined when recording is off. */
  readonly recorder: () => TurnRecorder | undefined;
  readonly listener: AgentListener;
  /** Called when the process of a resident agent has ended. */
  readonly onProcessEnd: (sessionId: string) => void;
  /** Stores which agents have background work. */
  readonly errands: Errands;
  /** Whether this gateway does the background work that is noted, and no other one. */
  readonly adopt: (errand: Errand) => Promise<boolean>;
  /** Most idle processes of resident agents: without a turn, and without background work. */
  readonly idleLimit: () => number;
  /** Number of processes that may start for background work, beside those of turns. */
  readonly room: () => number;
  readonly log: Logger;
  /** `RESTART_LIMITS` when absent. */
  readonly restarts?: RestartLimits;
}

/** Timing and limits of processes for background work. */
export interface RestartLimits {
  /** Most agents that start at the same time. */
  readonly together: number;
  /** Timeout from the start of an agent to its `tasks` event. */
  readonly settleMs: number;
  /** Delay before an agent whose process has ended is started again; doubled with each failure. */
  readonly pauseMs: number;
  /** Most attempts to start an agent again. */
  readonly attempts: number;
  /** Lifetime after which earlier failures of an agent are forgotten. */
  readonly steadyMs: number;
  /** Interval of checks when there was no room for another process. */
  readonly lookMs: number;
}

export const RESTART_LIMITS: RestartLimits = {
  together: 2,
  settleMs: 60_000,
  pauseMs: 1_000,
  attempts: 5,
  steadyMs: 300_000,
  lookMs: 1_000,
};
