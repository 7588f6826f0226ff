import { isObject } from '../framing/json.ts';
import { listOf, objectOf } from '../framing/narrow.ts';
import { schemaPrompt } from '../framing/schema.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import type { Turn } from '../model/turn.ts';

/**
 * Whether the model's API takes a schema as `outputSchema`: every object must require all its properties and allow no
 * others, else the API refuses the whole turn.
 */
export function isStrictSchema(schema: JsonValue | undefined): boolean {
  if (Array.isArray(schema)) return (schema as readonly JsonValue[]).every(isStrictSchema);
  if (!isObject(schema)) return true;
  const { type, properties, additionalProperties, required, ...others } = schema;
  const names = Object.keys(objectOf(properties));
  const isRecord = type === 'object' || properties !== undefined;
  const isClosed = additionalProperties === false && names.every((name) => listOf(required).includes(name));
  if (isRecord && !isClosed) return false;
  return [...Object.values(objectOf(properties)), others.items, others.anyOf].every(isStrictSchema);
}

/** A turn whose text asks for JSON of its schema. The text of an operation asks for it already. */
export function withSchemaInWords(turn: Turn): Turn {
  const { schema, operation, text } = turn;
  if (schema === undefined || operation !== undefined) return turn;
  return {
    ...turn,
    text: [text, schemaPrompt(schema as JsonObject)].filter((part) => part !== '').join('\n\n'),
  };
}
