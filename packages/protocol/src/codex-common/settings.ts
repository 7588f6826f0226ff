import type { CommonSettings } from '../contract/dialect.ts';
import type { JsonObject } from '../model/json.ts';

/** The profile fields that both forms of Codex share. */
export interface CodexCommonSettings extends CommonSettings {
  readonly model?: string;
  /** Name of a provider in `config.toml`. */
  readonly modelProvider?: string;
  /** How hard the model thinks. */
  readonly effort?: string;
  /** `untrusted`, `on-request` or `never`. */
  readonly approvalPolicy?: string;
  /** `read-only`, `workspace-write` or `danger-full-access`. */
  readonly sandbox?: string;
  /** Absolute paths of further directories that commands may write to in `workspace-write`. */
  readonly addDirs: readonly string[];
  /** Whether commands may use the network in `workspace-write`. */
  readonly networkAccess?: boolean;
  /** Added to the instructions of the program. */
  readonly developerInstructions?: string;
  /** Keys of `config.toml`, which become `-c` flags; a key may have dots. */
  readonly config: JsonObject;
  /** The thread that a new conversation goes on with. */
  readonly resume?: string;
}

/** `timeoutSecs` is 0, because a turn may wait for people and can be interrupted. */
export const CODEX_COMMON_DEFAULTS: CodexCommonSettings = {
  command: { argv: ['codex'] },
  env: {},
  timeoutSecs: 0,
  idleTimeoutSecs: 0,
  killGraceSecs: 5,
  addDirs: [],
  config: {},
};
