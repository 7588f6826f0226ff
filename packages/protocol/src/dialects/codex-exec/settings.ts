import { CODEX_COMMON_DEFAULTS, type CodexCommonSettings } from '../../codex-common/settings.ts';

/** The fields of a profile of `codex exec`. */
export interface CodexExecSettings extends CodexCommonSettings {
  /** Threads are not written to the disk, so that no turn goes on with one. */
  readonly ephemeral: boolean;
}

export const CODEX_EXEC_DEFAULTS: CodexExecSettings = { ...CODEX_COMMON_DEFAULTS, ephemeral: false };
