import { resolve } from 'node:path';
import { z } from 'zod';
import type { Subject, ToolContext } from '../tool.ts';
import { realPath } from './real-path.ts';

export const pathSchema = z
  .string()
  .min(1, 'must not be empty')
  .max(4096, 'is longer than any path can be')
  .refine((path) => !path.includes('\0'), 'must not hold a zero byte');

/** The subject of a path for the policy. */
export function pathSubject(path: string, directory: string): Subject {
  return { kind: 'path', value: resolve(directory, path) };
}

/** The absolute path of a call, and its real path. */
export interface Place {
  readonly path: string;
  readonly real: string;
}

/**
 * Resolves a path. Throws when it no longer leads where the policy saw it: a directory may have been replaced by a
 * link.
 */
export function placeOf(path: string, context: ToolContext): Place {
  const absolute = resolve(context.directory, path);
  const real = realPath(absolute);
  const decided = context.decided?.get(absolute);
  if (decided !== undefined && decided !== real) {
    throw new Error(`${absolute} has come to lead to another place since the call was permitted; try again.`);
  }
  return { path: absolute, real };
}
