import type { Said } from '../model/ask.ts';
import { tokensOfSaid } from './tokens.ts';

/** What is left of a text that had to be cut. */
const STUB_CHARS = 400;

/**
 * Makes what was said fit into `budget` tokens: first old results of tools are cut to a stub, then old messages are left
 * out, from the oldest on and never a call without its results. The last thing said always stays, cut if it must be.
 */
export function trim(said: readonly Said[], budget: number): Said[] {
  const kept = [...said];
  let tokens = kept.reduce((sum, one) => sum + tokensOfSaid(one), 0);
  for (let index = 0; index < kept.length - 1 && tokens > budget; index++) {
    const one = kept[index];
    if (one?.role !== 'results') continue;
    const cut = {
      ...one,
      results: one.results.map((result) => ({ ...result, content: stub(result.content) })),
    };
    tokens += tokensOfSaid(cut) - tokensOfSaid(one);
    kept[index] = cut;
  }
  while (kept.length > 1 && tokens > budget) tokens -= dropOldest(kept);
  return tokens > budget ? kept.map((one) => cutTo(one, budget)) : kept;
}

/** Drops the oldest thing said, and with a call its results: neither may stand alone. Returns the tokens saved. */
function dropOldest(kept: Said[]): number {
  const [oldest, next] = kept;
  const count = oldest?.role === 'assistant' && oldest.calls.length > 0 && next?.role === 'results' ? 2 : 1;
  return kept.splice(0, Math.min(count, kept.length - 1)).reduce((sum, one) => sum + tokensOfSaid(one), 0);
}

function stub(content: string): string {
  if (content.length <= STUB_CHARS * 2) return content;
  return `${content.slice(0, STUB_CHARS)}\n[… ${content.length - STUB_CHARS} characters left out to save room …]`;
}

function cutTo(one: Said, budget: number): Said {
  const chars = budget * 3;
  const cut = (text: string): string =>
    text.length <= chars ? text : `${text.slice(0, chars)}\n[… ${text.length - chars} characters left out …]`;
  if (one.role === 'user') return { ...one, text: cut(one.text) };
  if (one.role === 'results') {
    return { ...one, results: one.results.map((result) => ({ ...result, content: cut(result.content) })) };
  }
  return one;
}
