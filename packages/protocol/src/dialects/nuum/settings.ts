import type { CommonSettings } from '../../contract/dialect.ts';

/** A nuum profile has only the `CommonSettings`. */
export type NuumSettings = CommonSettings;

/** `timeoutSecs` is 0, because a turn of a resident agent may run for hours and can be interrupted. */
export const NUUM_DEFAULTS: NuumSettings = {
  command: { argv: [] },
  env: {},
  timeoutSecs: 0,
  idleTimeoutSecs: 0,
  killGraceSecs: 5,
};
