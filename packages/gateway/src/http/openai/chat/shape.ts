import type { StoredTurn } from '@plugboard/store';
import { z } from 'zod';
import type { Piece } from '../turn/answer-text.ts';
import type { TurnAnswer } from '../turn/collect-answer.ts';
import { tokensOf } from '../turn/usage.ts';

const usage = z.object({
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  total_tokens: z.number(),
});

/** Response of `/v1/chat/completions` without `stream`. */
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

/** Makes a `chatCompletion` of a turn. */
export function viewCompletion({ turn, text, thinking, end }: TurnAnswer): z.infer<typeof chatCompletion> {
  const reasoning = thinking === '' ? {} : { reasoning_content: thinking };
  const message = { role: 'assistant', content: text, refusal: null, ...reasoning } as const;
  return {
    ...headOf(turn),
    object: 'chat.completion',
    choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }],
    usage: usageOf(end),
  };
}

/** `delta` of a chunk. */
export type Delta = { role: 'assistant'; content: '' } | { content: string } | { reasoning_content: string };

/**
 * Delta of a piece. OpenAI has no field for thinking; `reasoning_content` is the field of other servers and clients.
 */
export function deltaOf({ kind, text }: Piece): Delta {
  return kind === 'text' ? { content: text } : { reasoning_content: text };
}

/** A chunk of a stream; without `delta` it is the last one of the answer. */
export function viewChunk(turn: StoredTurn, delta: Delta | undefined, withUsage: boolean): object {
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

/** Chunk with `usage`, which follows the last chunk of the answer. */
export function viewUsageChunk({ turn, end }: TurnAnswer): object {
  return { ...headOf(turn), object: 'chat.completion.chunk', choices: [], usage: usageOf(end) };
}

function headOf({ id, startedAt, agent }: StoredTurn) {
  return { id: `chatcmpl-${id}`, created: Math.floor(startedAt / 1_000), model: agent };
}

function usageOf(end: TurnAnswer['end']): z.infer<typeof usage> {
  const { input, output } = tokensOf(end);
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}
