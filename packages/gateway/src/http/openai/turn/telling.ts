import type { Attachment, Event } from '@plugboard/host';
import type { Message } from '@plugboard/protocol';

/** A piece of an answer, as a client of this API is told it. */
export interface Piece {
  readonly kind: 'text' | 'thinking';
  readonly text: string;
}

/** What has been told of a turn so far. */
export interface Telling {
  /** Pieces of messages are told as they come; else only whole messages are. */
  readonly live: boolean;
  /** Where files can be fetched from: `http://host`. */
  readonly origin: string;
  text: string;
  thinking: string;
  /** Pieces of the message that is being said. */
  preview: string;
}

/** Begins with nothing told. */
export function createTelling(live: boolean, origin: string): Telling {
  return { live, origin, text: '', thinking: '', preview: '' };
}

/** What an event adds to the answer. Messages are parted by a blank line; progress and tools are no part of it. */
export function tell(telling: Telling, event: Event): Piece[] {
  switch (event.type) {
    case 'delta':
      return event.kind === 'thinking' ? think(telling, event.text) : preview(telling, event.text);
    case 'message':
      return finishMessage(telling, event);
    case 'end':
      return finishMessage(telling, { text: lastWords(telling, event.text), media: [] });
    default:
      return [];
  }
}

function think(telling: Telling, text: string): Piece[] {
  if (text === '') return [];
  telling.thinking += text;
  return [{ kind: 'thinking', text }];
}

function preview(telling: Telling, text: string): Piece[] {
  const begins = telling.preview === '';
  telling.preview += text;
  if (!telling.live) return [];
  return say(telling, text, begins);
}

function finishMessage(
  telling: Telling,
  { text, media, streamed }: Pick<Message, 'text' | 'media' | 'streamed'>,
): Piece[] {
  const shown = telling.live ? telling.preview : '';
  telling.preview = '';
  const files = media.map((file) => link(telling, file)).join('\n');
  const rest = shown === '' ? text : restOf(shown, text, streamed === true);
  const begins = shown === '' || rest === text;
  const pieces = say(telling, rest, begins);
  return [...pieces, ...say(telling, files, true)];
}

/** What is left of a message whose preview has been told. What was told cannot be taken back. */
function restOf(shown: string, text: string, streamed: boolean): string {
  if (streamed || shown.trim() === text.trim()) return '';
  return text.startsWith(shown) ? text.slice(shown.length) : text;
}

/** A message that was never finished, or an end that says what no message did. */
function lastWords(telling: Telling, text: string): string {
  if (telling.preview !== '') return telling.preview;
  return telling.text === '' ? text : '';
}

function say(telling: Telling, text: string, begins: boolean): Piece[] {
  if (text === '') return [];
  const gap = begins && telling.text !== '' ? '\n\n' : '';
  telling.text += gap + text;
  return [{ kind: 'text', text: gap + text }];
}

function link({ origin }: Telling, { kind, url, name }: Attachment): string {
  const address = url?.startsWith('/') ? `${origin}${url}` : (url ?? '');
  const label = (name ?? 'file').replace(/[[\]\\\n]/g, ' ');
  return `${kind === 'image' ? '!' : ''}[${label}](${address})`;
}
