import { existsSync, mkdirSync } from 'node:fs';
import { type Failure, type Launch, reasonOf } from '@plugboard/protocol';
import type { Begun } from './one-shot.ts';

type Start = (launch: Launch) => Begun | Failure;

/**
 * Starts processes and makes the directory that each launch asks for. The first one comes before its process: the workspace,
 * without which nothing starts, may have to be made with it. Later ones are made while the process starts, in time that
 * nobody waits for.
 */
export function withDirectory(start: Start): Start {
  let first = true;
  return (launch) => {
    const { directory } = launch;
    if (directory === undefined) return start(launch);
    if (first) {
      const problem = ensure(directory());
      if (problem !== undefined) return problem;
      first = false;
      return start(launch);
    }
    const begun = start(launch);
    if ('message' in begun) return begun;
    const problem = ensure(directory());
    if (problem !== undefined) begun.child.stop('cancel', { graceMs: 0 });
    return problem ?? begun;
  };
}

function ensure(path: string): Failure | undefined {
  try {
    // Looked for first, which costs a fraction of making it once more.
    if (!existsSync(path)) mkdirSync(path, { recursive: true, mode: 0o700 });
    return undefined;
  } catch (error) {
    return { code: 'workspace', message: `Cannot create the directory ${path}: ${reasonOf(error)}` };
  }
}
