import type { CommonSettings } from '../dialect.ts';

/** A nib profile has no fields of its own: backends keep their settings to themselves. */
export type NibSettings = CommonSettings;

/** The time limit is for pipe operations: an operation that owns the terminal ends when the person ends it. */
export const NIB_DEFAULTS: NibSettings = {
  command: { argv: [] },
  env: {},
  timeoutSecs: 1800,
  idleTimeoutSecs: 0,
  killGraceSecs: 5,
};
