import type { End } from '@plugboard/host';

/** Token counts of a turn. */
export interface Tokens {
  readonly input: number;
  readonly output: number;
}

/** Upper limit of a plausible count; a larger one is an error of the agent. */
const MOST_TOKENS = 1_000_000_000;

/** Token counts under either OpenAI name; 0 for a missing or implausible count. */
export function tokensOf({ usage }: Pick<End, 'usage'>): Tokens {
  return {
    input: countOf(usage?.input_tokens ?? usage?.prompt_tokens),
    output: countOf(usage?.output_tokens ?? usage?.completion_tokens),
  };
}

function countOf(value: number | undefined): number {
  return value !== undefined && Number.isInteger(value) && value >= 0 && value <= MOST_TOKENS ? value : 0;
}
