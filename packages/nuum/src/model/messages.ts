import type { ModelMessage, ToolModelMessage } from 'ai';
import type { CallResult, Said } from './ask.ts';
import { sendableInput, sendableName } from './sendable.ts';

/** Gives the id of a call as a provider takes it. */
export type IdOf = (id: string) => string;

/** A `Said` as messages of the SDK. Empty texts are replaced: some providers refuse them. */
export function toMessages(said: Said, idOf: IdOf): ModelMessage[] {
  if (said.role === 'user') return [{ role: 'user', content: said.text.toWellFormed() || '(nothing)' }];
  if (said.role === 'assistant') return assistantMessage(said, idOf);
  return said.results.length === 0 ? [] : [toolMessage(said.results, idOf)];
}

function assistantMessage({ text, calls, kept }: Said & { role: 'assistant' }, idOf: IdOf): ModelMessage[] {
  if (kept !== undefined) return [kept];
  const content = [
    ...(text === '' ? [] : [{ type: 'text' as const, text: text.toWellFormed() }]),
    ...calls.map(({ id, name, input }) => ({
      type: 'tool-call' as const,
      toolCallId: idOf(id),
      toolName: sendableName(name),
      input: sendableInput(input),
    })),
  ];
  return content.length === 0 ? [] : [{ role: 'assistant', content }];
}

function toolMessage(results: readonly CallResult[], idOf: IdOf): ToolModelMessage {
  return {
    role: 'tool',
    content: results.map(({ id, name, content, isError }) => ({
      type: 'tool-result',
      toolCallId: idOf(id),
      toolName: sendableName(name),
      output: { type: isError ? 'error-text' : 'text', value: content.toWellFormed() || '(no output)' },
    })),
  };
}
