import type { Delta, Message } from '../model/event.ts';
import { createPreview, type Gathered, gatherDelta, takeGathered } from '../model/gathered.ts';
import { writtenOut } from '../model/media.ts';

/** Writes each `Message` and `Delta` as partials, which a host joins into one text. */
export interface Stream {
  /** Deltas of a message that has not come yet. */
  readonly preview: Gathered;
  /** Set after a complete message: `standingOff` puts a blank line before the next partial. */
  gap: boolean;
}

/** The `Stream` of a new turn. */
export function createStream(): Stream {
  return { preview: createPreview(), gap: false };
}

/** The partial for a `Delta`. The piece after a `restart` is separated by a blank line, like a new message. */
export function nextPartial(stream: Stream, delta: Delta): string {
  gatherDelta(stream.preview, delta);
  const partial = standingOff(stream, delta.text);
  if (delta.restart) stream.gap = true;
  return partial;
}

/** The partial that completes a `Message`; empty when its deltas carried all of the text. */
export function lastPartial(stream: Stream, message: Message): string {
  const preview = takePreview(stream);
  const text = writtenOut(message);
  const said = message.streamed ? message.text : preview;
  // Written partials cannot be taken back: a message that differs from its `preview` follows it in full.
  if (!text.startsWith(said)) stream.gap = true;
  const partial = standingOff(stream, text.startsWith(said) ? text.slice(said.length) : text);
  stream.gap = true;
  return partial;
}

/** Returns the buffered deltas and empties `preview`, for a message that is written another way or never came. */
export function takePreview(stream: Stream): string {
  return takeGathered(stream.preview);
}

function standingOff(stream: Stream, text: string): string {
  if (text === '' || !stream.gap) return text;
  stream.gap = false;
  return `\n\n${text}`;
}
