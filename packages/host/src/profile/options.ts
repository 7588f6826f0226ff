import type { DialectName } from '@plugboard/protocol';

/** Defaults for fields that a profile file leaves out. */
export interface ReadOptions {
  /** The dialect of a file without the field `dialect`; `agentproc` when absent. */
  readonly dialect?: DialectName;
  /** The workspace for profiles from AgentProc's hub: the user's directory instead of that of the profile. */
  readonly workspace?: string;
}
