import { estimateTokens } from '../memory/tokens.ts';
import type { Said } from '../model/ask.ts';

/** About how many tokens one thing said takes. */
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
