import { type Conversation, type Role, textOf, type Utterance } from './conversation.ts';
import type { Part } from './part.ts';

/**
 * Part of a conversation that the agent is sent:
 * - `whole`: all of it, if the agent has none of these messages.
 * - `opening`: system messages and the last message, for a new session with a name.
 * - `last`: the last message, for an agent that has the rest in its session.
 */
export type Extent = 'whole' | 'opening' | 'last';

/** Text and files for the agent. */
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

/** Formats a conversation as one text, since agents take one text per turn. */
export function wordsFor({ utterances, last }: Conversation, extent: Extent): Words {
  const asked = utterances.slice(last, last + 1);
  const rules = utterances.filter(({ role }, at) => role === 'system' && (extent !== 'last' || at > last));
  const earlier = extent === 'whole' ? utterances.slice(0, last).filter(({ role }) => role !== 'system') : [];
  const text = [
    ...rules.map(textOf),
    ...(earlier.length === 0
      ? []
      : ['The conversation so far:', ...earlier.map(transcriptLine), 'Now answer this:']),
    ...asked.map(textOf),
  ];
  const files = [...earlier, ...asked].flatMap(({ parts }) => parts.filter(({ kind }) => kind !== 'text'));
  return { text: text.filter((one) => one !== '').join('\n\n'), files };
}

function transcriptLine(utterance: Utterance): string {
  const files = utterance.parts.flatMap((part) => (part.kind === 'text' ? [] : [part.name ?? 'a file']));
  const attached = files.length === 0 ? [] : [`[attached: ${files.join(', ')}]`];
  return [`${NAMES[utterance.role]}: ${textOf(utterance)}`, ...attached].join('\n');
}
