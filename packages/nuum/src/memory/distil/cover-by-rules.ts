import type { Memory } from '../memory.ts';
import { messagesBetween } from '../messages/messages.ts';
import { summaryOf } from '../summaries/stored.ts';
import { openMessages } from './distil-input.ts';
import { type DistilLimits, LEFT_TO_NEXT_RUN } from './limits.ts';
import { nextMerge, nextStretch, type Stretch } from './plan.ts';
import { gistByRules, mergedByRules } from './summary-by-rules.ts';

/**
 * Covers all messages up to `to` with summaries made by rules, and merges summaries while they exceed their limit. For
 * messages that leave the prompt before the model has distilled them, which would otherwise be neither in a summary nor
 * in the prompt.
 */
export function coverByRules(memory: Memory, to: number, limits: DistilLimits): void {
  for (;;) {
    const { coveredTo } = memory.summaries.counters;
    if (coveredTo >= to) break;
    const { open } = openMessages(memory.connection, coveredTo, 0);
    const stretch = nextStretch(open, to + 1, limits) ?? wholeStretch(open, to);
    if (stretch === undefined || !coverStretch(memory, stretch, limits)) break;
  }
  while (memory.summaries.tokens > limits.summaries * LEFT_TO_NEXT_RUN) {
    if (!mergeOldest(memory, limits)) break;
  }
}

/** The messages up to `to`, when every other end would separate a result from its call. */
function wholeStretch(open: Parameters<typeof nextStretch>[0], to: number): Stretch | undefined {
  const some = open.filter(({ number }) => number <= to);
  const [first, last] = [some[0], some.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  return { from: first.number, to: last.number, tokens: some.reduce((sum, { shown }) => sum + shown, 0) };
}

function coverStretch(memory: Memory, { from, to, tokens }: Stretch, limits: DistilLimits): boolean {
  const size = Math.min(limits.summary, Math.ceil(tokens / 2));
  const gist = gistByRules(messagesBetween(memory.connection, from, to), size);
  return memory.summaries.cover(to, gist, 'rules', memory.summaries.counters) !== undefined;
}

function mergeOldest({ summaries }: Memory, limits: DistilLimits): boolean {
  const shown = summaries.shown();
  const next = nextMerge(shown.map(({ level }) => level));
  if (next === undefined) return false;
  const parts = shown.slice(next.start, next.start + next.length);
  const size = Math.min(limits.summary, Math.ceil(parts.reduce((sum, { tokens }) => sum + tokens, 0) / 2));
  const gist = mergedByRules(parts.map(summaryOf), size);
  const numbers = parts.map(({ number }) => number);
  return summaries.merge(numbers, gist, 'rules', summaries.counters) !== undefined;
}
