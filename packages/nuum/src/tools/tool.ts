import type { JsonObject, JsonValue } from '@plugboard/protocol';

/** What a tool does to the world, which decides what a policy says about it when no rule does. */
export type Effect = 'read' | 'write' | 'run' | 'network' | 'memory';

/** One thing a call would touch, as rules see it: an absolute path, a command line, an address, an entry of every prompt. */
export interface Subject {
  readonly kind: 'path' | 'command' | 'url' | 'entry' | 'none';
  readonly value: string;
}

/** What a call is given beside its input. */
export interface ToolContext {
  /** Aborted when the turn is: the call must have ended, with everything it started, within 200 ms. */
  readonly signal: AbortSignal;
  /** Where relative paths start. */
  readonly directory: string;
  /** The environment of programs that are started. */
  readonly environment: Readonly<Record<string, string>>;
  /**
   * Where the paths among the subjects really led when the call was permitted, by the path. A call that finds one
   * leading elsewhere by now is refused.
   */
  readonly decided?: ReadonlyMap<string, string>;
  /** The number of the first message of the running turn, in a turn that memory holds. */
  readonly turnFrom?: number;
  /** For the operator. */
  readonly log: (text: string) => void;
}

/** What came of a call, in words for the model. */
export interface Outcome {
  readonly content: string;
  readonly isError: boolean;
}

/** Something the model can do. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the input. */
  readonly parameters: JsonObject;
  readonly effect: Effect;
  /** The input as `run` takes it, or a sentence that tells the model what is wrong with it. */
  parse(
    input: JsonValue,
  ): { readonly ok: true; readonly input: JsonObject } | { readonly ok: false; readonly problem: string };
  /** What the call would touch. */
  subjects(input: JsonObject, directory: string): readonly Subject[];
  /** Does it. A failure that the model can understand is an outcome with `isError`; what is thrown is taken for one, too. */
  run(input: JsonObject, context: ToolContext): Promise<Outcome>;
}
