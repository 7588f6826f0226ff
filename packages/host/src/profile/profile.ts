import type { ResourceLimits } from '@plugboard/process';
import type { DialectName, Settings } from '@plugboard/protocol';

/** How to start one agent. */
export interface Profile {
  /** What messages call this agent. */
  readonly name: string;
  /** Tells this agent from every other one, also from one of the same name; session ids are kept by it. */
  readonly identity: string;
  readonly dialect: DialectName;
  /** The dialect's own fields, all of them. */
  readonly settings: Settings;
  /** `all` hands on the whole environment; `base` only what any program needs to run. */
  readonly inherit: 'all' | 'base';
  /** Absolute path the agent works in, and below which it may hand out files. */
  readonly workspace: string;
  /** Where the profile was read from. */
  readonly profileDir?: string;
  /** Further directories it may hand out files from. */
  readonly mediaRoots?: readonly string[];
  /** How many processes wait for their turn already started, where the dialect allows it. */
  readonly prewarm?: number;
  /** Longest line of output that is read whole; the dialect's own limit when absent. */
  readonly lineBytes?: number;
  /** How much of the machine each process of the agent may take, with all that it starts. */
  readonly limits?: ResourceLimits;
  /** Fields of an AgentProc hub or nanobot file that were ignored, each with its place. */
  readonly warnings?: readonly string[];
}
