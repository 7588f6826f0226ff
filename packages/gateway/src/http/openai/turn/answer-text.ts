import type { Attachment, Event } from '@plugboard/host';
import type { Message } from '@plugboard/protocol';

/** A piece of an answer for the client. */
export interface Piece {
  readonly kind: 'text' | 'thinking';
  readonly text: string;
}

/** State of an answer. */
export interface AnswerText {
  /** Whether deltas are passed on; otherwise only whole messages are. */
  readonly live: boolean;
  /** Base URL of media links: `http://host`. */
  readonly origin: string;
  text: string;
  thinking: string;
  /** Deltas of the unfinished message. */
  preview: string;
}

export function createAnswerText(live: boolean, origin: string): AnswerText {
  return { live, origin, text: '', thinking: '', preview: '' };
}

/**
 * Pieces that an event adds to the answer. Messages are separated by a blank line; progress and tool events add none.
 */
export function addEvent(answerText: AnswerText, event: Event): Piece[] {
  switch (event.type) {
    case 'delta':
      if (event.kind === 'thinking') return addThinking(answerText, event.text);
      return event.restart ? cancelPreview(answerText, event.text) : addPreview(answerText, event.text);
    case 'thinking':
      return event.streamed ? [] : addThinking(answerText, event.text);
    case 'message':
      return finishMessage(answerText, event);
    case 'end':
      return finishMessage(answerText, { text: lastText(answerText, event.text), media: [] });
    default:
      return [];
  }
}

function addThinking(answerText: AnswerText, text: string): Piece[] {
  if (text === '') return [];
  answerText.thinking += text;
  return [{ kind: 'thinking', text }];
}

function addPreview(answerText: AnswerText, text: string): Piece[] {
  const begins = answerText.preview === '';
  answerText.preview += text;
  if (!answerText.live) return [];
  return addText(answerText, text, begins);
}

/**
 * The previewed message is cancelled: the next message starts anew, and `text` is only for clients that saw the
 * preview.
 */
function cancelPreview(answerText: AnswerText, text: string): Piece[] {
  const begins = answerText.preview === '';
  answerText.preview = '';
  return answerText.live ? addText(answerText, text, begins) : [];
}

function finishMessage(
  answerText: AnswerText,
  { text, media, streamed }: Pick<Message, 'text' | 'media' | 'streamed'>,
): Piece[] {
  const shown = answerText.live ? answerText.preview : '';
  answerText.preview = '';
  const files = media.map((file) => linkTo(answerText, file)).join('\n');
  const rest = shown === '' ? text : restOf(shown, text, streamed === true);
  const begins = shown === '' || rest === text;
  const pieces = addText(answerText, rest, begins);
  return [...pieces, ...addText(answerText, files, true)];
}

/** The part of a message that its preview has not shown. A preview cannot be withdrawn. */
function restOf(shown: string, text: string, streamed: boolean): string {
  if (streamed || shown.trim() === text.trim()) return '';
  return text.startsWith(shown) ? text.slice(shown.length) : text;
}

/** The unfinished message, or the text of `end` when the turn had no message. */
function lastText(answerText: AnswerText, text: string): string {
  if (answerText.preview !== '') return answerText.preview;
  return answerText.text === '' ? text : '';
}

function addText(answerText: AnswerText, text: string, begins: boolean): Piece[] {
  if (text === '') return [];
  const gap = begins && answerText.text !== '' ? '\n\n' : '';
  answerText.text += gap + text;
  return [{ kind: 'text', text: gap + text }];
}

function linkTo({ origin }: AnswerText, { kind, url, name }: Attachment): string {
  const address = url?.startsWith('/') ? `${origin}${url}` : (url ?? '');
  const label = (name ?? 'file').replace(/[[\]\\\n]/g, ' ');
  return `${kind === 'image' ? '!' : ''}[${label}](${address})`;
}
