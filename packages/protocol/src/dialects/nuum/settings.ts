import type { CommonSettings } from '../dialect.ts';

/** A nuum profile has no fields of its own. */
export type NuumSettings = CommonSettings;

/** A turn of a resident agent may run for hours, and can be interrupted: it has no time limit unless given one. */
export const NUUM_DEFAULTS: NuumSettings = {
  command: { argv: [] },
  env: {},
  timeoutSecs: 0,
  idleTimeoutSecs: 0,
  killGraceSecs: 5,
};
