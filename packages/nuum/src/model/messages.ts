import type { JSONValue, ModelMessage, ToolModelMessage } from 'ai';
import type { CallResult, Said } from './ask.ts';

/** What was said, in the form that providers take. Nothing empty is sent: some refuse it. */
export function toMessages(said: readonly Said[]): ModelMessage[] {
  return said.flatMap((one): ModelMessage[] => {
    if (one.role === 'user') return [{ role: 'user', content: one.text === '' ? '(nothing)' : one.text }];
    if (one.role === 'assistant') return assistantMessage(one);
    return one.results.length === 0 ? [] : [toolMessage(one.results)];
  });
}

function assistantMessage({ text, calls, kept }: Said & { role: 'assistant' }): ModelMessage[] {
  if (kept !== undefined) return [kept];
  const content = [
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...calls.map(({ id, name, input }) => ({
      type: 'tool-call' as const,
      toolCallId: id,
      toolName: name,
      input,
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
      toolName: name,
      output: { type: isError ? 'error-text' : 'text', value: content === '' ? '(no output)' : content },
    })),
  };
}

/** Input as it can be sent back: what was no JSON becomes an empty object, as providers accept nothing else. */
export function sendable(input: unknown): JSONValue {
  return typeof input === 'object' && input !== null ? (input as JSONValue) : {};
}
