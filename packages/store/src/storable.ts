import type { JsonValue } from '@plugboard/protocol';

/**
 * Text as every database can keep it. NUL ends a string for one and is an error for the next, half of a surrogate pair
 * has no UTF-8 at all: both become U+FFFD, so that the same text is read back from each, and its length stays.
 */
export function storableText(text: string): string {
  const wellFormed = text.toWellFormed();
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', '\uFFFD') : wellFormed;
}

// JSON.stringify writes just these characters as escapes. An escaped backslash before a "u0000" that was in the text
// matches too: that costs a walk, and changes nothing.
const SUSPECT = /\\u(?:0000|d[89a-f])/;

/** A value as JSON, every text in it storable, names of fields too. */
export function storableJson(value: unknown): string {
  const json = JSON.stringify(value);
  return SUSPECT.test(json) ? JSON.stringify(cleaned(JSON.parse(json) as JsonValue)) : json;
}

function cleaned(value: JsonValue | undefined): JsonValue | undefined {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map((item) => cleaned(item) ?? null);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [storableText(name), cleaned(field)]),
  );
}
