import type { Said } from '@plugboard/llm';
import { estimateTokens } from '../memory/tokens.ts';

/** A `Said` with its size and its place in memory. */
export interface Item {
  readonly said: Said;
  /** The number of the last message in memory that the items up to this one hold; 0 without a memory. */
  readonly to: number;
  readonly tokens: number;
  /** A cut drops this item; `openAfterCut` returns a new one. */
  readonly passing?: true;
}

export function itemOf(said: Said, to = 0): Item {
  return { said, to, tokens: tokensOfSaid(said) };
}

/** An estimate. */
export function tokensOfSaid(said: Said): number {
  switch (said.role) {
    case 'user':
      return estimateTokens(said.text);
    case 'assistant':
      return (
        estimateTokens(said.text) +
        said.calls.reduce((sum, { input }) => sum + estimateTokens(JSON.stringify(input)), 0)
      );
    case 'results':
      return said.results.reduce((sum, { content }) => sum + estimateTokens(content), 0);
  }
}
