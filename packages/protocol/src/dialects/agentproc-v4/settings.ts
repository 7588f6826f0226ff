import type { CommonSettings } from '../../contract/dialect.ts';

/** The fields of a profile. Templates (`command`, `env`, `cwd`) are kept as written: a launch fills them in. */
export interface AgentprocV4Settings extends CommonSettings {
  /** Whether partials are passed on; otherwise they are ignored. */
  readonly streaming: boolean;
  /**
   * `deny` offers permission requests to the agent and denies each that no person can decide. With `off` the agent may
   * ask only where a host in front offers it.
   */
  readonly permission: 'deny' | 'off';
  /** The host's variables that `${VAR}` may name; all of them when absent. A variable outside the list is empty. */
  readonly envAllowlist?: readonly string[];
}

export const AGENTPROC_V4_DEFAULTS: AgentprocV4Settings = {
  command: { argv: [] },
  env: {},
  timeoutSecs: 1800,
  idleTimeoutSecs: 0,
  killGraceSecs: 5,
  streaming: true,
  permission: 'off',
};
