import type { StoredTurn } from '@plugboard/store';
import type { AnswerEncoder } from '../answer.ts';
import { openaiError } from '../error.ts';
import { deltaOf, viewChunk, viewUsageChunk } from './shape.ts';

export interface ChatEncoderOptions {
  readonly requestId: string;
  /** Whether the last chunk carries `usage` (`stream_options.include_usage`). */
  readonly withUsage: boolean;
}

/** Encodes a stream of chunks. An error replaces `[DONE]`: a client that reads `[DONE]` has the whole answer. */
export function createChatEncoder(
  { requestId, withUsage }: ChatEncoderOptions,
  send: (text: string) => void,
): AnswerEncoder {
  let turn: StoredTurn | undefined;
  const data = (value: object): void => send(`data: ${JSON.stringify(value)}\n\n`);
  return {
    listener: {
      begun(begun) {
        turn = begun;
        data(viewChunk(begun, { role: 'assistant', content: '' }, withUsage));
      },
      said(piece) {
        if (turn !== undefined) data(viewChunk(turn, deltaOf(piece), withUsage));
      },
    },
    finish(answer) {
      data(viewChunk(answer.turn, undefined, withUsage));
      if (withUsage) data(viewUsageChunk(answer));
      send('data: [DONE]\n\n');
    },
    fail: (problem) => data(openaiError(problem, requestId)),
  };
}
