import type { Question, Reply } from '@plugboard/llm';
import { tokensOfSaid } from '../src/loop/item.ts';
import { estimateTokens } from '../src/memory/tokens.ts';
import type { Ask } from '../src/model/ask.ts';

/** What has been asked of a model so far. */
export interface Spent {
  calls: number;
  /** As the provider counts them; estimated where it does not. */
  inputTokens: number;
  outputTokens: number;
}

/** Asks as `ask` does, and keeps count. */
export function counting(ask: Ask): { readonly ask: Ask; readonly spent: Spent } {
  const spent: Spent = { calls: 0, inputTokens: 0, outputTokens: 0 };
  return {
    spent,
    async ask(question) {
      spent.calls += 1;
      const reply = await ask(question);
      spent.inputTokens += reply.usage.input_tokens ?? tokensOfQuestion(question);
      spent.outputTokens += reply.usage.output_tokens ?? tokensOfReply(reply);
      return reply;
    },
  };
}

function tokensOfQuestion({ system, said, tools }: Question): number {
  const offered = estimateTokens(JSON.stringify(tools));
  return estimateTokens(system) + offered + said.reduce((sum, one) => sum + tokensOfSaid(one), 0);
}

function tokensOfReply({ text, calls }: Reply): number {
  return estimateTokens(text) + estimateTokens(JSON.stringify(calls));
}
