import { type Conversation, type Role, textOf, type Utterance } from './conversation.ts';
import type { Part } from './part.ts';

/**
 * How much of a conversation the agent has to be told:
 * - `whole`: all of it, for an agent that knows nothing of it.
 * - `opening`: what the system says and the last message, where the agent's own session takes over.
 * - `last`: the last message alone, for an agent that remembers the rest.
 */
export type Extent = 'whole' | 'opening' | 'last';

/** What is given to the agent. */
export interface Words {
  readonly text: string;
  readonly files: readonly Part[];
}

const NAMES: Readonly<Record<Role, string>> = {
  system: 'System',
  user: 'User',
  assistant: 'Assistant',
  tool: 'Tool',
};

/** Puts a conversation into words, for a program that takes one text. */
export function wordsFor({ utterances, last }: Conversation, extent: Extent): Words {
  const asked = utterances.slice(last, last + 1);
  const rules = utterances.filter(({ role }, at) => role === 'system' && (extent !== 'last' || at > last));
  const earlier = extent === 'whole' ? utterances.slice(0, last).filter(({ role }) => role !== 'system') : [];
  const text = [
    ...rules.map(textOf),
    ...(earlier.length === 0 ? [] : ['The conversation so far:', ...earlier.map(line), 'Now answer this:']),
    ...asked.map(textOf),
  ];
  const files = [...earlier, ...asked].flatMap(({ parts }) => parts.filter(({ kind }) => kind !== 'text'));
  return { text: text.filter((one) => one !== '').join('\n\n'), files };
}

function line(utterance: Utterance): string {
  const files = utterance.parts.flatMap((part) => (part.kind === 'text' ? [] : [part.name ?? 'a file']));
  const attached = files.length === 0 ? [] : [`[attached: ${files.join(', ')}]`];
  return [`${NAMES[utterance.role]}: ${textOf(utterance)}`, ...attached].join('\n');
}
