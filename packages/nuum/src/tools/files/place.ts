import { resolve } from 'node:path';
import { z } from 'zod';
import type { Subject, ToolContext } from '../tool.ts';
import { realPath } from './real-path.ts';

/** A path as the model gives it. */
export const pathSchema = z
  .string()
  .min(1, 'must not be empty')
  .max(4096, 'is longer than any path can be')
  .refine((path) => !path.includes('\0'), 'must not hold a zero byte');

/** What rules see of a path. */
export function pathSubject(path: string, directory: string): Subject {
  return { kind: 'path', value: resolve(directory, path) };
}

/** The path that a call works on: absolute, and where it really leads. */
export interface Place {
  readonly path: string;
  readonly real: string;
}

/**
 * Finds the place, and refuses it when it is no longer where the policy saw it: between the decision and the call
 * somebody may have put a link where a directory was.
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
