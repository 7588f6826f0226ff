import type { CommonSettings } from '../dialect.ts';

/** The fields of a profile. Templates (`command`, `env`, `cwd`) are kept as written: a launch fills them in. */
export interface AgentprocSettings extends CommonSettings {
  /** `message` also writes the text of the turn to stdin. */
  readonly stdin: 'none' | 'message';
  /** The only variables of the host that `${VAR}` may name; any when absent. Others are empty. */
  readonly envAllowlist?: readonly string[];
  /** Code points of a reply that are passed on; 0 or less is no limit but the one of memory. */
  readonly maxReplyChars: number;
  /** Follows a reply that was cut, beyond the limit. */
  readonly truncationSuffix: string;
  readonly includeStderrInReply: boolean;
  /** Whether the user hears of a failure that the agent itself did not put into words. */
  readonly sendErrorReply: boolean;
  /** Whether partials are passed on; otherwise they are ignored. */
  readonly streaming: boolean;
  /** What a session line starts with; when empty, no line is one. */
  readonly sessionLinePrefix: string;
}

export const AGENTPROC_DEFAULTS: AgentprocSettings = {
  command: { argv: [] },
  env: {},
  timeoutSecs: 1800,
  killGraceSecs: 5,
  stdin: 'none',
  idleTimeoutSecs: 0,
  maxReplyChars: 8000,
  truncationSuffix: '\n\n…(truncated)',
  includeStderrInReply: false,
  sendErrorReply: true,
  streaming: true,
  sessionLinePrefix: 'AGENT_SESSION:',
};
