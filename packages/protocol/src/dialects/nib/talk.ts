import type { Event, Message } from '../../model/event.ts';
import { writtenOut } from '../../model/media.ts';

/** A conversation on a terminal that the agent owns. */
export interface TalkState {
  /** Deltas have left the cursor in the middle of a line. */
  midLine: boolean;
}

/**
 * What a person sees of an event: text as it comes. An error says nothing here, since the end of the process is the
 * only form that an interactive operation has for it.
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

/** A streamed message needs its line end, and its media, which no delta can name. */
function shownAlready(message: Message): string {
  const media = writtenOut({ ...message, text: '' });
  return media === '' ? '\n' : `\n${media}\n`;
}

function finishLine(state: TalkState, breaks: boolean): string {
  const unfinished = state.midLine && breaks;
  state.midLine = false;
  return unfinished ? '\n' : '';
}
