import { existsSync } from 'node:fs';
import { type Failure, reasonOf } from '@plugboard/protocol';
import { makeDirectory } from '../directory.ts';

/** Makes a directory and its parents for an agent; returns a `Failure` when it cannot be made. */
export function ensureDirectory(path: string): Failure | undefined {
  try {
    // `existsSync` first, because it costs a fraction of another `mkdir`.
    if (!existsSync(path)) makeDirectory(path);
    return undefined;
  } catch (error) {
    return { code: 'workspace', message: `Cannot create the directory ${path}: ${reasonOf(error)}` };
  }
}
