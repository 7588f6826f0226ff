import { reasonOf } from '@plugboard/protocol';
import type { Outcome } from './tool.ts';

/** The call did what it was asked to. */
export function done(content: string): Outcome {
  return { content, isError: false };
}

/** It did not; the sentence tells the model what happened, to what, and what to do. */
export function failed(content: string): Outcome {
  return { content, isError: true };
}

/** The turn was interrupted before the call had done anything. */
export function cancelled(): Outcome {
  return failed('The call was cancelled.');
}

/** What a thrown value says, in one line. */
export function firstLineOf(error: unknown): string {
  const text = reasonOf(error);
  return text.split('\n', 1)[0] ?? text;
}

/** The system's own code of an error, such as ENOENT. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
