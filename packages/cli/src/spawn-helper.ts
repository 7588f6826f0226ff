import { join } from 'node:path';
import { createSpawner, type Spawner } from '@plugboard/process';
import { stateDirectory } from './state.ts';

/**
 * Starts the native spawn helper, which halves the start of an agent and leaves none of its group behind when this process
 * is killed. Undefined where it cannot be compiled: agents are then started directly.
 */
export async function startSpawnHelper(): Promise<Spawner | undefined> {
  const cacheDirectory = join(stateDirectory(), 'cache');
  return createSpawner({ kind: 'native', cacheDirectory }).catch(() => undefined);
}
