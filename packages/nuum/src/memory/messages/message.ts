import type { JsonValue } from '@plugboard/protocol';

/** A message to store. */
export type Entry =
  | { readonly kind: 'user'; readonly text: string; readonly origin?: 'alarm' | 'task' }
  | { readonly kind: 'assistant'; readonly text: string }
  | { readonly kind: 'call'; readonly callId: string; readonly name: string; readonly input: JsonValue }
  | { readonly kind: 'result'; readonly callId: string; readonly content: string; readonly isError: boolean }
  /** A message of the program to the model, such as about an interrupted turn or a killed task. */
  | { readonly kind: 'note'; readonly text: string };

/** A stored entry. Numbers grow in the order of writing, whatever `at` says, and are never used again. */
export type Remembered = Entry & { readonly number: number; readonly at: number };
