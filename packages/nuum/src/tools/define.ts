import { isObject, type JsonObject, type JsonValue } from '@plugboard/protocol';
import { z } from 'zod';
import type { Effect, Outcome, Subject, Tool, ToolContext } from './tool.ts';

/** How many mistakes in an input are told at once. */
const PROBLEMS_TOLD = 3;

/** A tool in the terms of its own input. */
export interface Definition<S extends z.ZodObject> {
  readonly name: string;
  readonly description: string;
  /** Without transforms: an input that was parsed is parsed again where it is used. */
  readonly schema: S;
  readonly effect: Effect;
  subjects(input: z.output<S>, directory: string): readonly Subject[];
  run(input: z.output<S>, context: ToolContext): Promise<Outcome>;
}

/** A tool whose input is described, checked and typed by one schema. */
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
  const told = error.issues.slice(0, PROBLEMS_TOLD).map((issue) => sentence(issue, input));
  return `The input of ${name} is wrong: ${told.join('; ')}.`;
}

function sentence(issue: z.core.$ZodIssue, input: JsonObject): string {
  const [field] = issue.path;
  const name = issue.path.join('.');
  if (typeof field === 'string' && input[field] === undefined) return `\`${name}\` is missing`;
  const message = issue.message.replace(/^Invalid input: /, '');
  return `\`${name}\`: ${message}`;
}
