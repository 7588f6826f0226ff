import { isObject, type JsonObject, type JsonValue } from '@plugboard/protocol';
import { z } from 'zod';
import type { Effect, Outcome, Subject, Tool, ToolContext } from './tool.ts';

const PROBLEMS_TOLD = 3;

/** A tool whose input has the type of its schema. */
export interface Definition<S extends z.ZodObject> {
  readonly name: string;
  readonly description: string;
  /** Without transforms: the result of `parse` is parsed again by `run`. */
  readonly schema: S;
  readonly effect: Effect;
  subjects(input: z.output<S>, directory: string): readonly Subject[];
  run(input: z.output<S>, context: ToolContext): Promise<Outcome>;
}

/** Derives the JSON schema, the check and the type of the input from one zod schema. */
export function defineTool<S extends z.ZodObject>(definition: Definition<S>): Tool {
  const { name, description, schema, effect } = definition;
  return {
    name,
    description,
    parameters: parametersOf(schema),
    effect,
    parse(input) {
      const parsed = schema.safeParse(input);
      if (!parsed.success) return { ok: false, problem: problemOf(name, parsed.error, input) };
      return { ok: true, input: parsed.data as JsonObject };
    },
    subjects: (input, directory) => definition.subjects(schema.parse(input), directory),
    run: async (input, context) => definition.run(schema.parse(input), context),
  };
}

function parametersOf(schema: z.ZodObject): JsonObject {
  const { $schema: _, ...parameters } = z.toJSONSchema(schema, { io: 'input' });
  return parameters as JsonObject;
}

function problemOf(name: string, error: z.ZodError, input: JsonValue): string {
  if (!isObject(input)) return `The input of ${name} must be an object.`;
  const told = error.issues.slice(0, PROBLEMS_TOLD).map((issue) => describeIssue(issue, input));
  return `The input of ${name} is wrong: ${told.join('; ')}.`;
}

function describeIssue(issue: z.core.$ZodIssue, input: JsonObject): string {
  const [field] = issue.path;
  const name = issue.path.join('.');
  if (typeof field === 'string' && input[field] === undefined) return `\`${name}\` is missing`;
  const message = issue.message.replace(/^Invalid input: /, '');
  return `\`${name}\`: ${message}`;
}
