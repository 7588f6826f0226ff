import { distilLimits } from '../src/memory/distil/limits.ts';
import { PLANTED } from './history.ts';

/** What a trial with a provider will take, about. */
export interface Estimate {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** What one question of a reflection takes: a search, a look, an answer. */
const REFLECTION = { calls: 3, inputTokens: 6_000, outputTokens: 300 };

/** Instructions and the tree of knowledge, which go with every question of a distillation. */
const AROUND = 1_000;

/** Every message is read once to be summarised, and every summary about once more to be merged. */
export function estimate(tokens: number): Estimate {
  const { stretch, summary } = distilLimits();
  const stretches = Math.ceil(tokens / stretch);
  const merges = Math.ceil(stretches / 3);
  const questions = PLANTED.length;
  return {
    calls: stretches + merges + questions * REFLECTION.calls,
    inputTokens:
      tokens + (stretches + merges) * AROUND + stretches * summary + questions * REFLECTION.inputTokens,
    outputTokens: (stretches + merges) * summary + questions * REFLECTION.outputTokens,
  };
}

/** Dollars, at so many for a million tokens in and out. */
export function dollars(
  { inputTokens, outputTokens }: Pick<Estimate, 'inputTokens' | 'outputTokens'>,
  [input, output]: readonly [number, number],
): number {
  return (inputTokens * input + outputTokens * output) / 1_000_000;
}
