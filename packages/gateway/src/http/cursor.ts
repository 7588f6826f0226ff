import { StoreError } from '@plugboard/store';
import { Problem } from './problem.ts';

/** What whoever asks for a page after nothing we know is told. */
export function noCursor(): Problem {
  return new Problem('invalid', 'This is no cursor of ours.');
}

/** The same, where the store has looked for it. */
export function cursorProblem(error: unknown): unknown {
  return error instanceof StoreError && error.code === 'not-found' ? noCursor() : error;
}
