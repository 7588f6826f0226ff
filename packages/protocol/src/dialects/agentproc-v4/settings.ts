import type { CommonSettings } from '../dialect.ts';

/** The fields of a profile. Templates (`command`, `env`, `cwd`) are kept as written: a launch fills them in. */
export interface AgentprocV4Settings extends CommonSettings {
  /** Whether partials are passed on; otherwise they are ignored. */
  readonly streaming: boolean;
  /**
   * `deny` offers permission requests to the agent, and denies each that nobody is there to decide; with `off` it is told of
   * them only where a host in front offers them.
   */
  readonly permission: 'deny' | 'off';
  /** The only variables of the host that `${VAR}` may name; any when absent. Others are empty. */
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
