import type { JsonObject, JsonValue, Usage } from '@plugboard/protocol';
import type { AssistantModelMessage } from 'ai';

/** One thing said so far, in the form every provider's messages are made from. */
export type Said =
  | { readonly role: 'user'; readonly text: string }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly calls: readonly Call[];
      /** What the provider wants to see again just as it was, such as signed thinking; for the turn it was said in. */
      readonly kept?: AssistantModelMessage;
    }
  | { readonly role: 'results'; readonly results: readonly CallResult[] };

/** The model wants a tool to run. */
export interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: JsonValue;
  /** Why it cannot run: the input was no JSON, or was cut off. */
  readonly problem?: string;
}

/** What came of a call. */
export interface CallResult {
  readonly id: string;
  readonly name: string;
  readonly content: string;
  readonly isError: boolean;
}

/** What a model may be told about a tool. */
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
   * Indexes into `said`, at most three: prompts that begin alike up to there are expected within minutes, so that a cache
   * of the provider is worth its price. Without it none is.
   */
  readonly marks?: readonly number[];
  readonly signal: AbortSignal;
  /** Hears the answer while it is being given. After a failure that is worth another try it starts anew. */
  readonly listener?: Listener;
}

/** Who follows an answer as it comes. */
export interface Listener {
  delta(kind: 'output' | 'thinking', text: string): void;
  /** What was heard so far will not be finished: the model is asked again. */
  again(reason: string, waitMs: number): void;
}

/** All of what a model answered. */
export interface Reply {
  readonly text: string;
  readonly calls: readonly Call[];
  /** Why it stopped: `length` means that it was cut off, `pause` that it wants to be asked to go on. */
  readonly finish: 'stop' | 'pause' | 'length' | 'tool-calls' | 'content-filter' | 'error' | 'other';
  readonly usage: Usage;
  readonly kept?: AssistantModelMessage;
}

/** Asks a model once and gives its whole answer; retries what is worth it, throws a `ModelError` for the rest. */
export type Ask = (question: Question) => Promise<Reply>;

/** What a model is asked for: a script may answer each in its own way. */
export type Purpose = 'turn' | 'distil' | 'reflect' | 'research';
