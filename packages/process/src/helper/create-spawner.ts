import { extname, join } from 'node:path';
import type { HelperCommand } from './helper-process.ts';
import { findNativeHelper } from './native-helper.ts';
import { createRestartingHelper } from './restarting-helper.ts';
import { createTrackingSpawner, directSpawner, type Spawner } from './spawner.ts';

type HelperKind = 'native' | 'node';

/** Which helper to use, and its cache directory. */
export interface SpawnerOptions {
  /** `auto` (default) takes the first kind that works on this machine: `native`, `node`, `direct`. */
  readonly kind?: 'auto' | 'direct' | HelperKind;
  /** Directory for the compiled C helper; created if missing. */
  readonly cacheDirectory: string;
  /** Called with a sentence when a kind does not work on this machine or the helper has died. */
  readonly onTrouble?: (sentence: string) => void;
}

/**
 * Starts a helper, which then starts all processes. Call it early: this start is the last whose duration grows with the
 * memory of the host.
 */
export async function createSpawner(options: SpawnerOptions): Promise<Spawner> {
  const { kind = 'auto', onTrouble = () => {} } = options;
  // A helper passes Unix sockets to its children; Windows cannot.
  if (kind === 'direct' || (kind === 'auto' && process.platform === 'win32')) return directSpawner();
  if (kind !== 'auto') return createHelperSpawner(kind, options);
  for (const each of ['native', 'node'] as const) {
    try {
      return await createHelperSpawner(each, options);
    } catch (error) {
      onTrouble(error instanceof Error ? error.message : String(error));
    }
  }
  return directSpawner();
}

async function createHelperSpawner(kind: HelperKind, options: SpawnerOptions): Promise<Spawner> {
  const command = kind === 'native' ? await findNativeHelper(options.cacheDirectory) : findNodeHelper();
  const helper = await createRestartingHelper(command, options.onTrouble ?? (() => {}));
  return createTrackingSpawner(kind, helper.start, helper.close);
}

/** Build and source both have `node-helper` beside this module, with the same extension. */
function findNodeHelper(): HelperCommand {
  const file = join(import.meta.dirname, `node-helper${extname(import.meta.filename)}`);
  return { file: process.execPath, args: [file] };
}
