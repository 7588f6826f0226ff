import { failureOf } from '../../model/ending.ts';
import type { End, Event } from '../../model/event.ts';
import { createPreview, type Gathered, gatherDelta, takeGathered } from '../../model/gathered.ts';
import { writtenOut } from '../../model/media.ts';
import { addMessage, createWhole, endWith, textOf, type Whole } from '../../model/whole.ts';
import { createResponse } from './response.ts';

/** The answer to a pipe operation while it comes together: the wire has room for one object only. */
export interface AnswerState {
  readonly whole: Whole;
  /** Deltas of a message that has not come yet. */
  readonly preview: Gathered;
  given: boolean;
}

/** An answer of which nothing has been said. */
export function createAnswer(): AnswerState {
  return { whole: createWhole(), preview: createPreview(), given: false };
}

/** Keeps what an event says; at the end of the turn, the bytes of the whole answer. Nothing follows them. */
export function answer(state: AnswerState, operation: string | undefined, event: Event): string {
  switch (event.type) {
    case 'delta':
      if (event.kind === 'output') gatherDelta(state.preview, event);
      return '';
    case 'message':
      takeGathered(state.preview);
      addMessage(state.whole, writtenOut(event));
      return '';
    case 'end': {
      if (state.given) return '';
      state.given = true;
      // Deltas that no message followed are the last one.
      addMessage(state.whole, takeGathered(state.preview));
      const end = endWith(state.whole, event);
      const text = textOf(state.whole) || event.text;
      return `${JSON.stringify(createResponse(operation, text, withWhatWasSaid(textOf(state.whole), end)))}\n`;
    }
    default:
      return '';
  }
}

/** An error is the only thing that is read of a turn that failed, and may be what explains what was said before. */
function withWhatWasSaid(said: string, end: End): End {
  if (end.outcome === 'success' || said.trim() === '') return end;
  return { ...end, error: { ...end.error, message: `${said}\n\n${failureOf(end)}` } };
}
