import type { JsonObject, JsonValue } from '@plugboard/protocol';
import type { JSONValue, ModelMessage } from 'ai';

/** One thing said so far. */
export type Said =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls?: readonly Call[] }
  | { readonly role: 'results'; readonly results: readonly CallResult[] };

/** The model wants a tool to run. */
export interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: JsonValue;
  /** Why it cannot run: its input could not be read. */
  readonly problem?: string;
}

/** What came of a call. */
export interface CallResult {
  readonly id: string;
  readonly name: string;
  readonly content: string;
}

/** What was said, in the form that the client takes. Nothing empty is sent: some servers refuse it. */
export function toMessages(said: readonly Said[]): ModelMessage[] {
  return said.flatMap((one): ModelMessage[] => {
    if (one.role === 'user') return [{ role: 'user', content: one.text || '(nothing)' }];
    if (one.role === 'assistant') return assistantMessage(one);
    const content = one.results.map(({ id, name, content: value }) => ({
      type: 'tool-result' as const,
      toolCallId: id,
      toolName: name,
      output: { type: 'text' as const, value: value || '(nothing)' },
    }));
    return content.length === 0 ? [] : [{ role: 'tool', content }];
  });
}

function assistantMessage({ text, calls = [] }: Said & { role: 'assistant' }): ModelMessage[] {
  const content = [
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...calls.map(({ id, name, input }) => ({
      type: 'tool-call' as const,
      toolCallId: id,
      toolName: name,
      input: sendable(input),
    })),
  ];
  return content.length === 0 ? [] : [{ role: 'assistant', content }];
}

/** Input that was no JSON goes back as an empty object, as servers accept nothing else. */
function sendable(input: JsonValue): JSONValue {
  return (typeof input === 'object' && input !== null ? (input as JsonObject) : {}) as JSONValue;
}
