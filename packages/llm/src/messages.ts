import type { ModelMessage, ToolModelMessage } from 'ai';
import type { CallResult, Said } from './question.ts';
import { sendableInput, sendableName } from './sendable.ts';

type ToId = (id: string) => string;

/** A `Said` as messages of the SDK. Empty texts are replaced, since some providers refuse them. `toId` gives the id of a call as the provider accepts it. */
export function toMessages(said: Said, toId: ToId): ModelMessage[] {
  if (said.role === 'user') return [{ role: 'user', content: said.text.toWellFormed() || '(nothing)' }];
  if (said.role === 'assistant') return assistantMessage(said, toId);
  return said.results.length === 0 ? [] : [toolMessage(said.results, toId)];
}

function assistantMessage({ text, calls, kept }: Said & { role: 'assistant' }, toId: ToId): ModelMessage[] {
  if (kept !== undefined) return [kept];
  const content = [
    ...(text === '' ? [] : [{ type: 'text' as const, text: text.toWellFormed() }]),
    ...calls.map(({ id, name, input }) => ({
      type: 'tool-call' as const,
      toolCallId: toId(id),
      toolName: sendableName(name),
      input: sendableInput(input),
    })),
  ];
  return content.length === 0 ? [] : [{ role: 'assistant', content }];
}

function toolMessage(results: readonly CallResult[], toId: ToId): ToolModelMessage {
  return {
    role: 'tool',
    content: results.map(({ id, name, content, isError }) => ({
      type: 'tool-result',
      toolCallId: toId(id),
      toolName: sendableName(name),
      output: { type: isError ? 'error-text' : 'text', value: content.toWellFormed() || '(no output)' },
    })),
  };
}
