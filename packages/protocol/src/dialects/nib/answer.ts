import { failureOf } from '../../model/ending.ts';
import type { End, Event } from '../../model/event.ts';
import { createPreview, type Gathered, gatherDelta, takeGathered } from '../../model/gathered.ts';
import { writtenOut } from '../../model/media.ts';
import { addMessage, createWhole, endWith, textOf, type Whole } from '../../model/whole.ts';
import { createResponse } from './response.ts';

/** The answer to a pipe operation, gathered during the turn because the wire has a single JSON object. */
export interface AnswerState {
  readonly whole: Whole;
  /** Deltas of a message that has not come yet. */
  readonly preview: Gathered;
  given: boolean;
}

/** The `AnswerState` of a new turn. */
export function createAnswer(): AnswerState {
  return { whole: createWhole(), preview: createPreview(), given: false };
}

/** Collects the events of a turn. Returns the whole JSON answer at `end`, and the empty string before and after it. */
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

/** A host of a failed turn reads only `error`, so messages that may explain the failure are prepended to it. */
function withWhatWasSaid(said: string, end: End): End {
  if (end.outcome === 'success' || said.trim() === '') return end;
  return { ...end, error: { ...end.error, message: `${said}\n\n${failureOf(end)}` } };
}
