import type { ModelMessage, ToolModelMessage } from 'ai';
import type { CallResult, Said } from './ask.ts';
import { sendableInput, sendableName } from './sendable.ts';

/** What was said, in the form that providers take. Nothing empty is sent: some refuse it. */
export function toMessages(said: readonly Said[]): ModelMessage[] {
  return said.flatMap((one): ModelMessage[] => {
    if (one.role === 'user') return [{ role: 'user', content: one.text.toWellFormed() || '(nothing)' }];
    if (one.role === 'assistant') return assistantMessage(one);
    return one.results.length === 0 ? [] : [toolMessage(one.results)];
  });
}

function assistantMessage({ text, calls, kept }: Said & { role: 'assistant' }): ModelMessage[] {
  if (kept !== undefined) return [kept];
  const content = [
    ...(text === '' ? [] : [{ type: 'text' as const, text: text.toWellFormed() }]),
    ...calls.map(({ id, name, input }) => ({
      type: 'tool-call' as const,
      toolCallId: id,
      toolName: sendableName(name),
      input: sendableInput(input),
    })),
  ];
  return content.length === 0 ? [] : [{ role: 'assistant', content }];
}

function toolMessage(results: readonly CallResult[]): ToolModelMessage {
  return {
    role: 'tool',
    content: results.map(({ id, name, content, isError }) => ({
      type: 'tool-result',
      toolCallId: id,
      toolName: sendableName(name),
      output: { type: isError ? 'error-text' : 'text', value: content.toWellFormed() || '(no output)' },
    })),
  };
}
