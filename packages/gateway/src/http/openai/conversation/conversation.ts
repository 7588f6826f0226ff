import { invalid } from '../problem.ts';
import type { Part } from './part.ts';

export type Role = 'system' | 'user' | 'assistant' | 'tool';

/** What one side said at one time. */
export interface Utterance {
  readonly role: Role;
  readonly parts: readonly Part[];
}

/** Everything a request says of a conversation, in order. */
export interface Conversation {
  readonly utterances: readonly Utterance[];
  /** Which of them is to be answered: the last one of the user. */
  readonly last: number;
}

/** Finds what is to be answered; throws when there is nothing, or when it has been answered. `field` names where it stands. */
export function conversationOf(utterances: readonly Utterance[], field: string): Conversation {
  const last = utterances.findLastIndex(({ role }) => role === 'user');
  if (last === -1) throw invalid(field, `${field} holds nothing that the user said.`);
  if (utterances.slice(last + 1).some(({ role }) => role !== 'system')) {
    throw invalid(field, `${field} must end with what the user said: an agent cannot go on with an answer.`);
  }
  return { utterances, last };
}

/** The words of an utterance, without its files. */
export function textOf({ parts }: Utterance): string {
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
}
