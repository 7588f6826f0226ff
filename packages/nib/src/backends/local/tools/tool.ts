import type { JsonObject, JsonValue } from '@plugboard/protocol';
import type { ToolOffer } from '../model/ask.ts';

/** Something that the model can do in the project. */
export interface Tool extends ToolOffer {
  /** What a call does, in a few words for the author who watches. */
  describe(input: JsonObject): string;
  /** What the model is told of the outcome; throws a `ToolError` when it cannot be done. */
  run(input: JsonObject, signal: AbortSignal): Promise<string> | string;
}

/** What the model has asked for and cannot have, in a sentence that tells it what to do instead. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

/** The parameters of a tool: each a text or a whole number, with what it means. */
export function parametersOf(
  properties: Readonly<Record<string, readonly [type: 'string' | 'integer', description: string]>>,
  required: readonly string[],
): JsonObject {
  const entries = Object.entries(properties).map(([name, [type, description]]) => [
    name,
    { type, description },
  ]);
  return { type: 'object', properties: Object.fromEntries(entries), required, additionalProperties: false };
}

/** A text that must be there. */
export function textIn(input: JsonObject, name: string): string {
  const value = input[name];
  if (typeof value === 'string') return value;
  throw new ToolError(`The argument ${name} must be a text.`);
}

/** A text that may be left out. */
export function optionalText(input: JsonObject, name: string): string {
  return input[name] === undefined || input[name] === null ? '' : textIn(input, name);
}

/** A whole number, 1 or more; models like to write numbers as text. */
export function countIn(input: JsonObject, name: string, standard: number): number {
  const value: JsonValue | undefined = input[name];
  if (value === undefined || value === null) return standard;
  const count = Number(value);
  if (Number.isInteger(count) && count >= 1) return count;
  throw new ToolError(`The argument ${name} must be a whole number, 1 or more.`);
}
