import type { ResourceLimits } from '@plugboard/process';
import type { DialectName, Settings } from '@plugboard/protocol';
import type { Approvals } from '../approvals/approvals.ts';

/** How to start one agent. */
export interface Profile {
  /** The name of this agent in messages. */
  readonly name: string;
  /** Identifies this agent among all agents, also of the same name. `SessionMemory` keeps ids under it. */
  readonly identity: string;
  readonly dialect: DialectName;
  /** The dialect's own fields, all of them. */
  readonly settings: Settings;
  /** `all` passes on the whole environment; `base` only the variables that every program needs. */
  readonly inherit: 'all' | 'base';
  /** Absolute path the agent works in, and below which it may hand out files. */
  readonly workspace: string;
  /** Where the profile was read from. */
  readonly profileDir?: string;
  /** Further directories it may hand out files from. */
  readonly mediaRoots?: readonly string[];
  /** Number of processes that wait for their turn, where the dialect allows it. */
  readonly prewarm?: number;
  /** Limit of a line of output; `HostSide.lineBytes` when absent. */
  readonly lineBytes?: number;
  /** How permission questions are decided; when absent, `ask` of `run` decides each. */
  readonly approvals?: Approvals;
  /** Resource limits for each process of the agent and its children. */
  readonly limits?: ResourceLimits;
  /** Fields of an AgentProc hub or nanobot file that were ignored, each with its place. */
  readonly warnings?: readonly string[];
}
