import type { CommonSettings } from '../../contract/dialect.ts';

/** The fields of a Claude Code profile. Most are flags of the program under another spelling. */
export interface ClaudeSettings extends CommonSettings {
  readonly model?: string;
  readonly fallbackModel?: string;
  readonly effort?: string;
  readonly permissionMode?: string;
  readonly allowedTools: readonly string[];
  readonly disallowedTools: readonly string[];
  readonly addDirs: readonly string[];
  /** Paths of files, or JSON texts. */
  readonly mcpConfig: readonly string[];
  readonly strictMcpConfig: boolean;
  /** Replaces the system prompt. */
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
  readonly settingSources?: readonly string[];
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
  /** The session of Claude Code that a new conversation goes on with. */
  readonly resume?: string;
  /** A new conversation goes on with the newest session of the working directory. */
  readonly continue: boolean;
  /** With `resume` or `continue`: goes on in a copy. */
  readonly fork: boolean;
}

/** `timeoutSecs` is 0, because a turn may wait for people and can be interrupted. */
export const CLAUDE_DEFAULTS: ClaudeSettings = {
  command: { argv: ['claude'] },
  env: {},
  timeoutSecs: 0,
  idleTimeoutSecs: 0,
  killGraceSecs: 5,
  allowedTools: [],
  disallowedTools: [],
  addDirs: [],
  mcpConfig: [],
  strictMcpConfig: false,
  continue: false,
  fork: false,
};
