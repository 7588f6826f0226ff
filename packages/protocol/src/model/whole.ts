import type { End } from './event.ts';
import { createGathered, type Gathered, gather, takeGathered } from './gathered.ts';

/**
 * Limit of a joined answer. A host reads an answer that is one object as one line, and no dialect accepts a longer
 * line.
 */
const LONGEST_CHARS = 64 * 1024 * 1024;

/** All messages of a turn, joined by blank lines, for wires with a single answer. */
export interface Whole {
  readonly messages: Gathered;
  tooLong: boolean;
}

export function createWhole(): Whole {
  return { messages: createGathered(LONGEST_CHARS, '\n\n'), tooLong: false };
}

/** Adds a message. An empty text adds no blank line. */
export function addMessage(whole: Whole, text: string): void {
  if (text !== '' && !gather(whole.messages, text)) whole.tooLong = true;
}

/** The messages so far. */
export function textOf({ messages }: Whole): string {
  const text = takeGathered(messages);
  if (text !== '') gather(messages, text);
  return text;
}

/** Turns a success into an `error` when the answer exceeded `LONGEST_CHARS`. */
export function endWith({ tooLong }: Whole, end: End): End {
  if (!tooLong || end.outcome !== 'success') return end;
  const message = 'The agent said more than the 64 MiB that one answer can hold.';
  return { ...end, outcome: 'error', error: { message, code: 'too-long' } };
}
