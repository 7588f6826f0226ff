import { existsSync } from 'node:fs';
import { type Failure, reasonOf } from '@plugboard/protocol';
import { makeDirectory } from '../directory.ts';

/** Makes a directory that an agent relies on, with those above it; or says why it cannot be made. */
export function ensureDirectory(path: string): Failure | undefined {
  try {
    // Looked for first, which costs a fraction of making it once more.
    if (!existsSync(path)) makeDirectory(path);
    return undefined;
  } catch (error) {
    return { code: 'workspace', message: `Cannot create the directory ${path}: ${reasonOf(error)}` };
  }
}
