import type { JsonObject, JsonValue, Usage } from '@plugboard/protocol';
import type { AssistantModelMessage } from 'ai';

/** One message of a conversation, from which the messages of each provider are made. */
export type Said =
  | { readonly role: 'user'; readonly text: string }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly calls: readonly Call[];
      /** The message as the provider sent it, with signed thinking. Sent back instead of `text` and `calls` during its turn. */
      readonly kept?: AssistantModelMessage;
    }
  | { readonly role: 'results'; readonly results: readonly CallResult[] };

/** A tool call of the model. */
export interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: JsonValue;
  /** Why the call cannot run: its input is no JSON, or was cut off. */
  readonly problem?: string;
}

/** The result of a tool call. */
export interface CallResult {
  readonly id: string;
  readonly name: string;
  readonly content: string;
  readonly isError: boolean;
}

/** The description of a tool for the model. */
export interface ToolOffer {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

/** One request to a model. */
export interface Question {
  readonly system: string;
  readonly said: readonly Said[];
  readonly tools: readonly ToolOffer[];
  /**
   * Indexes into `said`, at most three, up to which the provider caches the prompt: for prompts that will begin alike within
   * minutes, since writing a cache costs more than a request without one. Without `marks`, the prompt is not cached.
   */
  readonly marks?: readonly number[];
  readonly signal: AbortSignal;
  readonly listener?: Listener;
}

/** Hears an answer while it is streamed. */
export interface Listener {
  delta(kind: 'output' | 'thinking', text: string): void;
  /** The deltas so far are void: the request failed and is sent again after `waitMs`. */
  again(reason: string, waitMs: number): void;
}

/** A whole answer of a model. */
export interface Reply {
  readonly text: string;
  readonly calls: readonly Call[];
  /** `length`: the answer was cut off. `pause`: the model wants to be asked again to go on. */
  readonly finish: 'stop' | 'pause' | 'length' | 'tool-calls' | 'content-filter' | 'error' | 'other';
  readonly usage: Usage;
  readonly kept?: AssistantModelMessage;
}
