import { reasonOf } from '@plugboard/protocol';
import type { Outcome } from './tool.ts';

export function successOutcome(content: string): Outcome {
  return { content, isError: false };
}

export function errorOutcome(content: string): Outcome {
  return { content, isError: true };
}

/** The signal was aborted before the call had an effect. */
export function cancelledOutcome(): Outcome {
  return errorOutcome('The call was cancelled.');
}

export function firstLineOf(error: unknown): string {
  const text = reasonOf(error);
  return text.split('\n', 1)[0] ?? text;
}

/** The code of a system error: `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
