import type { ToolOffer } from '@plugboard/llm';
import type { JsonObject, JsonValue } from '@plugboard/protocol';

/** A tool that the model can call in the project. */
export interface Tool extends ToolOffer {
  /** Describes a call in a few words, for the author. */
  describe(input: JsonObject): string;
  /** Returns the result for the model; throws a `ToolError` when the call fails. */
  run(input: JsonObject, signal: AbortSignal): Promise<string> | string;
}

/** A failed call, with a sentence that tells the model what to do instead. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

/** The JSON Schema of a tool's parameters: strings and integers, with descriptions. */
export function createParameters(
  properties: Readonly<Record<string, readonly [type: 'string' | 'integer', description: string]>>,
  required: readonly string[],
): JsonObject {
  const entries = Object.entries(properties).map(([name, [type, description]]) => [
    name,
    { type, description },
  ]);
  return { type: 'object', properties: Object.fromEntries(entries), required, additionalProperties: false };
}

/** A required string. */
export function requireText(input: JsonObject, name: string): string {
  const value = input[name];
  if (typeof value === 'string') return value;
  throw new ToolError(`The argument ${name} must be a text.`);
}

/** An optional string; '' when absent. */
export function getOptionalText(input: JsonObject, name: string): string {
  return input[name] === undefined || input[name] === null ? '' : requireText(input, name);
}

/** A whole number, 1 or more; also as a string, because models write numbers so. */
export function getCount(input: JsonObject, name: string, standard: number): number {
  const value: JsonValue | undefined = input[name];
  if (value === undefined || value === null) return standard;
  const count = Number(value);
  if (Number.isInteger(count) && count >= 1) return count;
  throw new ToolError(`The argument ${name} must be a whole number, 1 or more.`);
}
