import type { Event, Message } from '../../model/event.ts';
import { writtenOut } from '../../model/media.ts';

/** A conversation on a terminal that the agent owns. */
export interface TalkState {
  /** The last delta has left the cursor within a line. */
  midLine: boolean;
}

/**
 * The text that a person sees for an event. An error prints no text: an interactive operation reports failure by its
 * exit code only.
 */
export function talk(state: TalkState, event: Event): string {
  switch (event.type) {
    case 'delta':
      if (event.kind === 'thinking' || event.text === '') return '';
      state.midLine = true;
      return event.text;
    case 'message': {
      const shown = event.streamed === true ? shownAlready(event) : `${writtenOut(event)}\n`;
      return finishLine(state, event.streamed !== true) + shown;
    }
    case 'end':
      return finishLine(state, true);
    default:
      return '';
  }
}

/** A streamed message still needs its line end, and its `media`, which deltas cannot name. */
function shownAlready(message: Message): string {
  const media = writtenOut({ ...message, text: '' });
  return media === '' ? '\n' : `\n${media}\n`;
}

function finishLine(state: TalkState, breaks: boolean): string {
  const unfinished = state.midLine && breaks;
  state.midLine = false;
  return unfinished ? '\n' : '';
}
