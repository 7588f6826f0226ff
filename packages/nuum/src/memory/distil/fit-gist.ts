import { summaryTokens } from '../summaries/stored.ts';
import type { Gist } from '../summaries/summaries.ts';
import { estimateTokens, shortenText } from '../tokens.ts';

/** The part of a summary's tokens for `context`; the rest is for `facts`. */
export const CONTEXT_SHARE = 0.45;

/** The most tokens of one fact. */
const FACT_TOKENS = 120;

/** Cuts a gist to `tokens` tokens: a shorter context, then as many facts as fit, in their order. */
export function fitGist(gist: Gist, tokens: number): Gist {
  const context = shortenText(gist.context.trim(), Math.floor(tokens * CONTEXT_SHARE));
  const facts: string[] = [];
  let left = tokens - summaryTokens(context, []);
  for (const fact of removeDuplicates(gist.facts)) {
    const short = shortenText(fact, FACT_TOKENS);
    left -= estimateTokens(short) + 1;
    if (left < 0) break;
    facts.push(short);
  }
  return { context, facts };
}

function removeDuplicates(facts: readonly string[]): string[] {
  const seen = new Map<string, string>();
  for (const fact of facts) {
    const plain = fact.replaceAll(/\s+/g, ' ').trim();
    const key = plain.toLowerCase();
    if (plain !== '' && !seen.has(key)) seen.set(key, plain);
  }
  return [...seen.values()];
}
