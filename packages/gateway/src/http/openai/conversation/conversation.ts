import { invalidField } from '../problem.ts';
import type { Part } from './part.ts';

export type Role = 'system' | 'user' | 'assistant' | 'tool';

/** One message of a conversation. */
export interface Utterance {
  readonly role: Role;
  readonly parts: readonly Part[];
}

/** The messages of a request, in order. */
export interface Conversation {
  readonly utterances: readonly Utterance[];
  /** Index of the message to answer: the last with the role `user`. */
  readonly last: number;
}

/**
 * Finds the message to answer; throws when there is none or an answer follows it. `field` is the request field for the
 * error.
 */
export function conversationOf(utterances: readonly Utterance[], field: string): Conversation {
  const last = utterances.findLastIndex(({ role }) => role === 'user');
  if (last === -1) throw invalidField(field, `${field} holds nothing that the user said.`);
  if (utterances.slice(last + 1).some(({ role }) => role !== 'system')) {
    throw invalidField(
      field,
      `${field} must end with what the user said: an agent cannot go on with an answer.`,
    );
  }
  return { utterances, last };
}

/** The text parts of an utterance, joined by line feeds. */
export function textOf({ parts }: Utterance): string {
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
}
