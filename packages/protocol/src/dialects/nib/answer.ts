import type { Event } from '../../model/event.ts';
import { createGathered, type Gathered, gather, takeGathered } from '../../model/gathered.ts';
import { writtenOut } from '../../model/media.ts';
import { createResponse } from './response.ts';

const PREVIEW_CHARS = 8 * 1024 * 1024;

/** The answer to a pipe operation while it comes together: the wire has room for one object only. */
export interface AnswerState {
  readonly messages: string[];
  /** Deltas of a message that has not come yet. */
  readonly preview: Gathered;
  given: boolean;
}

/** An answer of which nothing has been said. */
export function createAnswer(): AnswerState {
  return { messages: [], preview: createGathered(PREVIEW_CHARS), given: false };
}

/** Keeps what an event says; at the end of the turn, the bytes of the whole answer. Nothing follows them. */
export function answer(state: AnswerState, operation: string | undefined, event: Event): string {
  switch (event.type) {
    case 'delta':
      if (event.kind === 'output') gather(state.preview, event.text);
      return '';
    case 'message':
      takeGathered(state.preview);
      state.messages.push(writtenOut(event));
      return '';
    case 'end': {
      if (state.given) return '';
      state.given = true;
      const text = gatheredText(state) || event.text;
      return `${JSON.stringify(createResponse(operation, text, event))}\n`;
    }
    default:
      return '';
  }
}

/** Messages are joined by a blank line; deltas that no message followed are the last of them. */
function gatheredText(state: AnswerState): string {
  const unfinished = takeGathered(state.preview);
  return [...state.messages, unfinished].filter((text) => text !== '').join('\n\n');
}
