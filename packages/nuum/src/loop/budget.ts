import type { Usage } from '@plugboard/protocol';

/** Limits of one turn. */
export interface Budget {
  /** Questions to the model. */
  readonly steps: number;
  /** Input and output tokens of all questions; 0 means no limit. */
  readonly tokens: number;
  /** 0 means no limit. */
  readonly ms: number;
}

export const BUDGET: Budget = { steps: 200, tokens: 0, ms: 0 };

/** The sentence about the limit that a turn has reached. Undefined when it may go on. */
export function describeReachedLimit(
  budget: Budget,
  spent: { steps: number; usage: Usage; ms: number },
): string | undefined {
  const { input_tokens = 0, output_tokens = 0 } = spent.usage;
  if (spent.steps >= budget.steps) return `The turn has reached its limit of ${budget.steps} steps.`;
  if (budget.tokens > 0 && input_tokens + output_tokens >= budget.tokens) {
    return `The turn has reached its limit of ${budget.tokens} tokens.`;
  }
  if (budget.ms > 0 && spent.ms >= budget.ms)
    return `The turn has reached its limit of ${budget.ms / 1000} s.`;
  return undefined;
}
