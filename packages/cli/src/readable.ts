import { accessSync, constants, statSync } from 'node:fs';
import { CommandFailure } from './failure.ts';
import { reasonFor } from './system-problem.ts';

/**
 * Throws unless the file at `path` can be read; `what` begins the sentence. Folders are refused because reading one
 * fails, pipes and devices because they may have no end.
 */
export function demandReadable(path: string, what: string): void {
  const reason = findReadProblem(path);
  if (reason !== undefined) throw new CommandFailure(`${what} cannot be read: ${reason}.`);
}

function findReadProblem(path: string): string | undefined {
  try {
    const about = statSync(path);
    if (about.isDirectory()) return 'it is a folder';
    if (!about.isFile()) return 'it is a pipe or a device, not a file';
    accessSync(path, constants.R_OK);
    return undefined;
  } catch (error) {
    return reasonFor(error);
  }
}
