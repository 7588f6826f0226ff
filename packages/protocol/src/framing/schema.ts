import type { JsonObject, JsonValue } from '../model/json.ts';
import { isObject } from './json.ts';

/** The prompt that asks an agent for a JSON value instead of prose. */
export function schemaPrompt(schema: JsonObject): string {
  return `Answer with one JSON value and nothing else. It must conform to this JSON Schema:\n${JSON.stringify(schema)}`;
}

/**
 * The first place where a value departs from a JSON Schema, or undefined. Supports `type`, `enum`, `const`, `required`,
 * `properties`, `additionalProperties: false` and `items`; other keywords are ignored.
 */
export function schemaProblem(
  value: JsonValue | undefined,
  schema: JsonObject,
  path = 'data',
): string | undefined {
  if (value === undefined) return `${path} is missing`;
  if (schema.type !== undefined && !typesOf(schema.type).some((type) => isOfType(value, type)))
    return `${path} is not of type ${JSON.stringify(schema.type)}`;
  const allowed = schema.const === undefined ? schema.enum : [schema.const];
  if (Array.isArray(allowed) && !allowed.some((one) => same(one, value)))
    return `${path} is not one of ${JSON.stringify(allowed)}`;
  if (Array.isArray(value)) return itemProblem(value, schema.items, path);
  return isObject(value) ? propertyProblem(value, schema, path) : undefined;
}

function typesOf(type: JsonValue): readonly JsonValue[] {
  return Array.isArray(type) ? type : [type];
}

function same(one: JsonValue, other: JsonValue): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
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
  const missing = required.find((name) => typeof name === 'string' && !Object.hasOwn(value, name));
  if (missing !== undefined) return `${path}.${missing} is missing`;
  const properties = isObject(schema.properties) ? schema.properties : {};
  for (const [name, inner] of Object.entries(value)) {
    const rule = Object.hasOwn(properties, name) ? properties[name] : schema.additionalProperties;
    if (rule === false) return `${path}.${name} is not asked for`;
    const problem = isObject(rule) ? schemaProblem(inner, rule, `${path}.${name}`) : undefined;
    if (problem !== undefined) return problem;
  }
  return undefined;
}
