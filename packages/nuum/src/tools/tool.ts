import type { JsonObject, JsonValue } from '@plugboard/protocol';

/** The kind of effect, for which a policy has a default. */
export type Effect = 'read' | 'write' | 'run' | 'network' | 'memory';

/** A path, command line, URL or knowledge entry that a call touches. Policy rules match these. */
export interface Subject {
  readonly kind: 'path' | 'command' | 'url' | 'entry' | 'none';
  readonly value: string;
}

export interface ToolContext {
  /** Aborted with the turn. The call and its programs must then end within 200 ms. */
  readonly signal: AbortSignal;
  /** The base of relative paths. */
  readonly directory: string;
  /** The environment of programs. */
  readonly environment: Readonly<Record<string, string>>;
  /**
   * For each path among the subjects, its real path when the call was permitted. A call refuses a path that leads
   * elsewhere by now.
   */
  readonly decided?: ReadonlyMap<string, string>;
  /** The number of the first message of the running turn; undefined for background tasks. */
  readonly turnFrom?: number;
  readonly log: (text: string) => void;
}

export interface Outcome {
  readonly content: string;
  readonly isError: boolean;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  /** The JSON schema of the input. */
  readonly parameters: JsonObject;
  readonly effect: Effect;
  /** Checks an input. `problem` tells the model what is wrong. */
  parse(
    input: JsonValue,
  ): { readonly ok: true; readonly input: JsonObject } | { readonly ok: false; readonly problem: string };
  /** The subjects for the policy. */
  subjects(input: JsonObject, directory: string): readonly Subject[];
  /**
   * Runs the call. Errors that the model can correct are outcomes with `isError`; thrown errors become such outcomes,
   * too.
   */
  run(input: JsonObject, context: ToolContext): Promise<Outcome>;
}
