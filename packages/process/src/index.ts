export type { Child, StopCause, StopOptions } from './child.ts';
export type { Command, Limits } from './command.ts';
export type { Cause, Ending } from './ending.ts';
export { baseEnvironment, ENVIRONMENT_VALUE_LIMIT, withoutUndefined } from './environment.ts';
export type { SpawnFailure } from './failure.ts';
export type { Pool, PoolOptions } from './prewarm/pool.ts';
export { createPool } from './prewarm/pool.ts';
export { spawn } from './spawn.ts';
