import type { Delta, Message } from '../../model/event.ts';
import { createPreview, type Gathered, gatherDelta, takeGathered } from '../../model/gathered.ts';
import { writtenOut } from '../../model/media.ts';

/** The partials an agent writes, as the one text that a host makes of them. */
export interface Stream {
  /** Deltas of a message that has not come yet. */
  readonly preview: Gathered;
  /** A message is complete: what follows stands off by a blank line. */
  gap: boolean;
}

/** A stream that has said nothing. */
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

/** The partial that completes a message, empty when its deltas have said all of it. */
export function lastPartial(stream: Stream, message: Message): string {
  const preview = takePreview(stream);
  const text = writtenOut(message);
  const said = message.streamed ? message.text : preview;
  // A preview that turns out wrong cannot be taken back: the message follows it whole.
  if (!text.startsWith(said)) stream.gap = true;
  const partial = standingOff(stream, text.startsWith(said) ? text.slice(said.length) : text);
  stream.gap = true;
  return partial;
}

/** Takes out the deltas of a message that is said otherwise, or never came. */
export function takePreview(stream: Stream): string {
  return takeGathered(stream.preview);
}

function standingOff(stream: Stream, text: string): string {
  if (text === '' || !stream.gap) return text;
  stream.gap = false;
  return `\n\n${text}`;
}
