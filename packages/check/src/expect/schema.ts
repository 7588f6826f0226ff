import { isObject, type JsonObject, type JsonValue } from '@plugboard/protocol';

/**
 * The first place where a value departs from a JSON Schema, or undefined. Only `type`, `required`, `properties`,
 * `items` and `enum` are looked at, which is what continuity schemas are made of; other words are taken as met.
 */
export function schemaProblem(
  value: JsonValue | undefined,
  schema: JsonObject,
  path = 'data',
): string | undefined {
  if (value === undefined) return `${path} is missing`;
  if (Array.isArray(schema.enum) && !schema.enum.includes(value))
    return `${path} is not one of ${JSON.stringify(schema.enum)}`;
  if (schema.type !== undefined && !typesOf(schema.type).some((type) => isOfType(value, type))) {
    return `${path} is not of type ${JSON.stringify(schema.type)}`;
  }
  if (Array.isArray(value)) return itemProblem(value, schema.items, path);
  return isObject(value) ? propertyProblem(value, schema, path) : undefined;
}

function typesOf(type: JsonValue): readonly JsonValue[] {
  return Array.isArray(type) ? type : [type];
}

function isOfType(value: JsonValue, type: JsonValue): boolean {
  switch (type) {
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'null':
      return value === null;
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function itemProblem(
  values: readonly JsonValue[],
  items: JsonValue | undefined,
  path: string,
): string | undefined {
  if (!isObject(items)) return undefined;
  for (const [at, value] of values.entries()) {
    const problem = schemaProblem(value, items, `${path}[${at}]`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function propertyProblem(value: JsonObject, schema: JsonObject, path: string): string | undefined {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const missing = required.find((name) => typeof name === 'string' && value[name] === undefined);
  if (missing !== undefined) return `${path}.${missing} is missing`;
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : [];
  for (const [name, inner] of properties) {
    if (value[name] === undefined || !isObject(inner)) continue;
    const problem = schemaProblem(value[name], inner, `${path}.${name}`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
