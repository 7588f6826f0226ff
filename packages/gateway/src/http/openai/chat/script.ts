import type { StoredTurn } from '@plugboard/store';
import type { Script } from '../answer.ts';
import { openaiError } from '../error.ts';
import { chunk, deltaOf, usageChunk } from './shape.ts';

export interface ChatScriptOptions {
  readonly requestId: string;
  /** The last chunk tells what was counted. */
  readonly withUsage: boolean;
}

/** A stream of chunks. An error takes the place of the end: who reads on to `[DONE]` has the whole answer. */
export function createChatScript(
  { requestId, withUsage }: ChatScriptOptions,
  send: (text: string) => void,
): Script {
  let turn: StoredTurn | undefined;
  const data = (value: object): void => send(`data: ${JSON.stringify(value)}\n\n`);
  return {
    listener: {
      begun(begun) {
        turn = begun;
        data(chunk(begun, { role: 'assistant', content: '' }, withUsage));
      },
      said(piece) {
        if (turn !== undefined) data(chunk(turn, deltaOf(piece), withUsage));
      },
    },
    finish(heard) {
      data(chunk(heard.turn, undefined, withUsage));
      if (withUsage) data(usageChunk(heard));
      send('data: [DONE]\n\n');
    },
    fail: (problem) => data(openaiError(problem, requestId)),
  };
}
