import type { End } from '@plugboard/host';

/** Tokens of a turn, in and out. */
export interface Tokens {
  readonly input: number;
  readonly output: number;
}

/** No turn takes so many: an agent that says so has miscounted. */
const MOST_TOKENS = 1_000_000_000;

/** What an agent counted, under whichever of the two names; 0 for what it did not count, or cannot have. */
export function tokensOf({ usage }: Pick<End, 'usage'>): Tokens {
  return {
    input: count(usage?.input_tokens ?? usage?.prompt_tokens),
    output: count(usage?.output_tokens ?? usage?.completion_tokens),
  };
}

function count(value: number | undefined): number {
  return value !== undefined && Number.isInteger(value) && value >= 0 && value <= MOST_TOKENS ? value : 0;
}
