import { CODEX_COMMON_DEFAULTS, type CodexCommonSettings } from '../../codex-common/settings.ts';
import type { JsonObject } from '../../model/json.ts';

/** The fields of a profile of `codex app-server`. */
export interface CodexSettings extends CodexCommonSettings {
  /** `user`: people decide approvals. `auto_review`: a model decides them. */
  readonly approvalsReviewer: string;
  /** `default` or `plan`. */
  readonly mode?: string;
  /** Replaces the instructions of the program. */
  readonly baseInstructions?: string;
  /** MCP servers of every thread, by name. */
  readonly mcpServers: Readonly<Record<string, JsonObject>>;
  /** A new conversation goes on with the newest thread of the working directory. */
  readonly continue: boolean;
  /** With `resume` or `continue`: goes on in a copy. */
  readonly fork: boolean;
  /** Threads are not written to the disk. */
  readonly ephemeral: boolean;
  /** Several threads have one process. */
  readonly share: boolean;
  /** Limit of the handshake, and then of opening a thread. */
  readonly startTimeoutSecs: number;
}

export const CODEX_DEFAULTS: CodexSettings = {
  ...CODEX_COMMON_DEFAULTS,
  approvalsReviewer: 'user',
  mcpServers: {},
  continue: false,
  fork: false,
  ephemeral: false,
  share: false,
  startTimeoutSecs: 60,
};
