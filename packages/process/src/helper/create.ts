import { extname, join } from 'node:path';
import { keepHelper } from './keeper.ts';
import type { Program } from './link.ts';
import { nativeProgram } from './native.ts';
import { directSpawner, type Spawner, spawnerOf } from './spawner.ts';

type HelperKind = 'native' | 'node';

/** Which helper to use, and where it may keep what it compiles. */
export interface SpawnerOptions {
  /** `auto` (default) takes the first that works here: `native`, `node`, `direct`. */
  readonly kind?: 'auto' | 'direct' | HelperKind;
  /** Where the helper in C is kept once it is compiled; made if it is not there. */
  readonly cacheDirectory: string;
  /** Told in a sentence when a kind does not work here or the helper has died. */
  readonly onTrouble?: (sentence: string) => void;
}

/**
 * Starts a helper through which processes are then started. To be called while the host is young: this start is the
 * last that takes the longer the bigger the host is.
 */
export async function createSpawner(options: SpawnerOptions): Promise<Spawner> {
  const { kind = 'auto', onTrouble = () => {} } = options;
  // A helper passes sockets of the Unix kind to what it starts.
  if (kind === 'direct' || (kind === 'auto' && process.platform === 'win32')) return directSpawner();
  if (kind !== 'auto') return helperSpawner(kind, options);
  for (const each of ['native', 'node'] as const) {
    try {
      return await helperSpawner(each, options);
    } catch (error) {
      onTrouble(error instanceof Error ? error.message : String(error));
    }
  }
  return directSpawner();
}

async function helperSpawner(kind: HelperKind, options: SpawnerOptions): Promise<Spawner> {
  const program = kind === 'native' ? await nativeProgram(options.cacheDirectory) : nodeProgram();
  const keeper = await keepHelper(program, options.onTrouble ?? (() => {}));
  return spawnerOf(kind, keeper.start, keeper.close);
}

/** Lies beside this module, as source or compiled, just as this module does. */
function nodeProgram(): Program {
  const file = join(import.meta.dirname, `node-helper${extname(import.meta.filename)}`);
  return { file: process.execPath, args: [file] };
}
