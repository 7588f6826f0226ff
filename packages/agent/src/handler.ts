import type { Event, JsonObject, JsonValue, Permission, Turn, Usage } from '@plugboard/protocol';
import type { Steering } from './steering.ts';

/** One step of an answer: text to stream, or an event as it is. */
export type Piece = string | Event;

/** What an answer can be, beyond text. */
export interface Result {
  readonly text?: string;
  /** A structured answer, for hosts that asked for one. */
  readonly data?: JsonValue;
  /** Files that were written, relative to the working directory. */
  readonly files?: readonly string[];
  readonly usage?: Usage;
}

/** What a handler may return: nothing (it has called `reply`), text, a result, or pieces as they come. */
export type Answer = undefined | string | Result | Iterable<Piece> | AsyncIterable<Piece>;

/** Answers one turn. What it throws becomes the error of the turn. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler that only calls `reply` returns nothing at all.
export type Handler = (turn: Turn, io: TurnIO) => Answer | void | Promise<Answer | void>;

/** What a handler can say while it answers. Each promise settles when the host can take more. */
export interface TurnIO {
  /** Aborted when the host cancels the turn or ends the agent; the `code` of its reason is `interrupted` or `ending`. */
  readonly signal: AbortSignal;
  /** What the user has said since the turn began, where the host can pass that on. */
  readonly steering: Steering;
  /** A complete message. Media are absolute paths or URLs. */
  reply(text: string, options?: { readonly media?: readonly string[] }): Promise<void>;
  /** A piece of the next message. */
  delta(text: string): Promise<void>;
  /** A status line that is not part of the answer. */
  progress(text: string): Promise<void>;
  /** For the operator, not for the user. */
  log(text: string): Promise<void>;
  /** Says that a tool is called, before it runs; returns the way to say what came of it. */
  tool(name: string, input: JsonValue): Promise<(content: string, isError?: boolean) => Promise<void>>;
  /** The id under which you remember this conversation; the host gives it back with the next turn. */
  session(id: string): Promise<void>;
  /** What the turn has used so far, in all: said at its end also when it is cancelled, or fails. */
  usage(used: Usage): void;
  /** Ends the turn as failed, with a sentence for the user. */
  error(message: string, code?: string): void;
  /** Asks whether a tool may be used. Where the host has no way to be asked, the answer is no, and says why. */
  permission(tool: string, input: JsonObject): Promise<Permission>;
  /** Any event of the model, as it is. */
  emit(event: Event): Promise<void>;
}
