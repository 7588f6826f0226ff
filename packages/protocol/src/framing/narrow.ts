import type { JsonObject, JsonValue } from '../model/json.ts';
import { isObject } from './json.ts';

/** The value as a string, or undefined for any other type. */
export function stringOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The value as an object; an empty one for any other type. */
export function objectOf(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** The value as a list; an empty one for any other type. */
export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

/** The strings of a list. */
export function stringsOf(value: JsonValue | undefined): string[] {
  return listOf(value).filter((item) => typeof item === 'string');
}
