import type {
  Cost,
  Answer as Decision,
  Event,
  JsonObject,
  JsonValue,
  Permission,
  PlanStep,
  Question,
  ToolCall,
  Turn,
  Usage,
} from '@plugboard/protocol';
import type { Steering } from './steering.ts';

/** A string becomes a `delta` event; an `Event` is emitted unchanged. */
export type Piece = string | Event;

/** An answer with structured fields, which become fields of the `end` event. */
export interface Result {
  readonly text?: string;
  /** JSON answer, for operations that ask for `data`. */
  readonly data?: JsonValue;
  /** Paths of written files, relative to `cwd`. */
  readonly files?: readonly string[];
  readonly usage?: Usage;
}

/** Return value of a handler; `undefined` if it has called `reply`. An iterable is streamed piece by piece. */
export type Answer = undefined | string | Result | Iterable<Piece> | AsyncIterable<Piece>;

/** Answers one turn. A thrown error becomes `error` of the `end` event. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler that only calls `reply` returns nothing at all.
export type Handler = (turn: Turn, io: TurnIO) => Answer | void | Promise<Answer | void>;

/** Methods that emit events of the turn. Each promise settles when stdout has room for more (back-pressure). */
export interface TurnIO {
  /** Aborted when the host cancels the turn or ends the agent; the `code` of its reason is `interrupted` or `ending`. */
  readonly signal: AbortSignal;
  /** Messages that came since the turn began; always empty in dialects without steering. */
  readonly steering: Steering;
  /** Emits a complete `message`. `media` are absolute paths or URLs. */
  reply(text: string, options?: { readonly media?: readonly string[] }): Promise<void>;
  /** Emits a `delta`: a part of the next `message`. */
  delta(text: string): Promise<void>;
  /** Emits a `progress` line, which is no part of the answer. */
  progress(text: string): Promise<void>;
  /** Emits a `log` line for the operator; users do not see it. */
  log(text: string): Promise<void>;
  /**
   * Emits a `tool-call` and returns a function that emits its `tool-result`. Call it before the tool runs. `about` is what
   * hosts show of the call: a title, the files that it is about.
   */
  tool(
    name: string,
    input: JsonValue,
    about?: Pick<ToolCall, 'title' | 'kind' | 'locations' | 'content'>,
  ): Promise<(content: string, isError?: boolean) => Promise<void>>;
  /** Emits the whole plan of the turn; the next one replaces it. */
  plan(steps: readonly PlanStep[]): Promise<void>;
  /** Sets the id of this conversation; the host sends it back as `session.agentId` of the next turn. */
  session(id: string): Promise<void>;
  /** Sets the total usage so far, and its price. The `end` event carries both also if the turn is cancelled or fails. */
  usage(used: Usage, cost?: Cost): void;
  /** Makes the `end` of the turn an error; `message` is a sentence for the user. */
  error(message: string, code?: string): void;
  /** Asks whether `tool` may be used. A host that cannot ask gives `allowed: false` and a `reason`. */
  permission(tool: string, input: JsonObject): Promise<Permission>;
  /**
   * Asks a person. The answer of a host that cannot ask has no `option`, and its `text` gives the reason. Aborting
   * `withdrawn` takes the question back.
   */
  ask(question: Question, withdrawn?: AbortSignal): Promise<Decision>;
  /** Emits any event unchanged. */
  emit(event: Event): Promise<void>;
}
