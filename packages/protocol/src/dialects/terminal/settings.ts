import type { CommonSettings } from '../../contract/dialect.ts';

/** A provider as the profile spells it. */
export interface Provider {
  readonly apiKeys: readonly string[];
  readonly models?: readonly string[] | undefined;
  readonly baseUrl?: string | undefined;
}

/** The fields of a `terminal` block. */
export interface TerminalSettings extends CommonSettings {
  readonly protocol: 'plain' | 'rich';
  readonly passMedia: boolean;
  readonly providers: Readonly<Record<string, Provider>>;
  /** `reply` appends stderr to the answer, as the protocol says; `log` keeps it for the operator. */
  readonly stderr: 'reply' | 'log';
  /** Whether paths of media files in plain output become attachments, as the protocol says. */
  readonly detectMedia: boolean;
}

export const TERMINAL_DEFAULTS: TerminalSettings = {
  command: { shell: '' },
  env: {},
  timeoutSecs: 120,
  idleTimeoutSecs: 0,
  killGraceSecs: 5,
  // The protocol prescribes a kill at a timeout and promises no earlier signal, so there is no grace.
  timeoutGraceSecs: 0,
  protocol: 'plain',
  passMedia: true,
  providers: {},
  stderr: 'reply',
  detectMedia: true,
};
