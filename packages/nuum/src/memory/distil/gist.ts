import { summaryTokens } from '../summaries/stored.ts';
import type { Gist } from '../summaries/summaries.ts';
import { estimateTokens, shortened } from '../tokens.ts';

/** What of a gist tells what was going on; the rest is facts. */
export const CONTEXT_SHARE = 0.45;

/** One fact is a sentence, not a page. */
const FACT_TOKENS = 120;

/** A gist that takes at most so many tokens: a shorter context, then as many facts as fit, the first ones first. */
export function fitted(gist: Gist, tokens: number): Gist {
  const context = shortened(gist.context.trim(), Math.floor(tokens * CONTEXT_SHARE));
  const facts: string[] = [];
  let left = tokens - summaryTokens(context, []);
  for (const fact of distinct(gist.facts)) {
    const short = shortened(fact, FACT_TOKENS);
    left -= estimateTokens(short) + 1;
    if (left < 0) break;
    facts.push(short);
  }
  return { context, facts };
}

function distinct(facts: readonly string[]): string[] {
  const seen = new Map<string, string>();
  for (const fact of facts) {
    const plain = fact.replaceAll(/\s+/g, ' ').trim();
    const key = plain.toLowerCase();
    if (plain !== '' && !seen.has(key)) seen.set(key, plain);
  }
  return [...seen.values()];
}
