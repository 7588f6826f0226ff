import type { CommonSettings } from '../../contract/dialect.ts';

/** The fields of a profile. Templates (`command`, `env`, `cwd`) are kept as written: a launch fills them in. */
export interface AgentprocSettings extends CommonSettings {
  /** `message` also writes the text of the turn to stdin. */
  readonly stdin: 'none' | 'message';
  /** The host's variables that `${VAR}` may name; all of them when absent. A variable outside the list is empty. */
  readonly envAllowlist?: readonly string[];
  /** Code points of a reply that are passed on. 0 or less means the largest limit, `MOST_POINTS`. */
  readonly maxReplyChars: number;
  /** Follows a reply that was cut, beyond the limit. */
  readonly truncationSuffix: string;
  readonly includeStderrInReply: boolean;
  /** Whether the user is told of a failure without an `AGENT_ERROR` of the agent. */
  readonly sendErrorReply: boolean;
  /** Whether partials are passed on; otherwise they are ignored. */
  readonly streaming: boolean;
  /** Prefix of a session line. When it is empty, no line is a session line. */
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
