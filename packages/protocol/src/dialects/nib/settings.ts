import type { CommonSettings } from '../../contract/dialect.ts';

/** A nib profile has only the `CommonSettings`: backends keep their own configuration. */
export type NibSettings = CommonSettings;

/** `timeoutSecs` applies to pipe operations. An operation that owns the terminal ends when the person ends it. */
export const NIB_DEFAULTS: NibSettings = {
  command: { argv: [] },
  env: {},
  timeoutSecs: 1800,
  idleTimeoutSecs: 0,
  killGraceSecs: 5,
};
