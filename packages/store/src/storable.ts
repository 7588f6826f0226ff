import type { JsonValue } from '@plugboard/protocol';

/**
 * Replaces NUL and unpaired surrogates by U+FFFD. NUL ends a string in some databases and is an error in others; unpaired
 * surrogates have no UTF-8. The length stays the same.
 */
export function storableText(text: string): string {
  const wellFormed = text.toWellFormed();
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', '\uFFFD') : wellFormed;
}

// `JSON.stringify` writes these characters as escapes. Text that contains a literal `\\u0000` matches too, and costs a
// `cleanValue` that changes no character.
const SUSPECT = /\\u(?:0000|d[89a-f])/;

/** `JSON.stringify` with `storableText` applied to each string and field name. */
export function storableJson(value: unknown): string {
  const json = JSON.stringify(value);
  return SUSPECT.test(json) ? JSON.stringify(cleanValue(JSON.parse(json) as JsonValue)) : json;
}

function cleanValue(value: JsonValue | undefined): JsonValue | undefined {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map((item) => cleanValue(item) ?? null);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [storableText(name), cleanValue(field)]),
  );
}
