import type { StoredTurn } from '@plugboard/store';
import { z } from 'zod';
import type { Heard } from '../turn/hear.ts';
import type { Piece } from '../turn/telling.ts';
import { tokensOf } from '../turn/usage.ts';

const usage = z.object({
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  total_tokens: z.number(),
});

/** A whole answer, as this API gives it. */
export const chatCompletion = z
  .object({
    id: z.string(),
    object: z.literal('chat.completion'),
    created: z.number(),
    model: z.string(),
    choices: z.array(
      z.object({
        index: z.literal(0),
        message: z.object({
          role: z.literal('assistant'),
          content: z.string(),
          refusal: z.null(),
          reasoning_content: z.string().optional(),
        }),
        logprobs: z.null(),
        finish_reason: z.literal('stop'),
      }),
    ),
    usage,
  })
  .meta({ id: 'ChatCompletion' });

/** The answer of a turn. */
export function completion({ turn, text, thinking, end }: Heard): z.infer<typeof chatCompletion> {
  const reasoning = thinking === '' ? {} : { reasoning_content: thinking };
  const message = { role: 'assistant', content: text, refusal: null, ...reasoning } as const;
  return {
    ...headOf(turn),
    object: 'chat.completion',
    choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }],
    usage: usageOf(end),
  };
}

/** What a chunk of a stream adds to an answer. */
export type Delta = { role: 'assistant'; content: '' } | { content: string } | { reasoning_content: string };

/** The delta of a piece. Thinking has no place in this API; others have come to put it here. */
export function deltaOf({ kind, text }: Piece): Delta {
  return kind === 'text' ? { content: text } : { reasoning_content: text };
}

/** One chunk of a stream; without a delta it is the last one of the answer. */
export function chunk(turn: StoredTurn, delta: Delta | undefined, withUsage: boolean): object {
  const choice = {
    index: 0,
    delta: delta ?? {},
    logprobs: null,
    finish_reason: delta === undefined ? 'stop' : null,
  };
  return {
    ...headOf(turn),
    object: 'chat.completion.chunk',
    choices: [choice],
    ...(withUsage ? { usage: null } : {}),
  };
}

/** What was counted, after the last chunk of the answer. */
export function usageChunk({ turn, end }: Heard): object {
  return { ...headOf(turn), object: 'chat.completion.chunk', choices: [], usage: usageOf(end) };
}

function headOf({ id, startedAt, agent }: StoredTurn) {
  return { id: `chatcmpl-${id}`, created: Math.floor(startedAt / 1_000), model: agent };
}

function usageOf(end: Heard['end']): z.infer<typeof usage> {
  const { input, output } = tokensOf(end);
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}
