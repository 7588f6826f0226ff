import { type Fault, fault } from '../model/fault.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import { reasonOf } from '../model/reason.ts';

/** Deeper JSON than this is refused before it is parsed: printing it again would overflow the stack. */
export const MAX_DEPTH = 64;

/** The result of `parseJson`: a value or a fault. */
export type Parsed =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly fault: Fault };

/** Parses one JSON text. Never throws; a depth bomb costs a scan, not a parse. */
export function parseJson(text: string, maxDepth: number = MAX_DEPTH): Parsed {
  if (isTooDeep(text, maxDepth)) {
    return { ok: false, fault: fault('too-deep', `JSON is nested deeper than ${maxDepth} levels.`, text) };
  }
  try {
    return { ok: true, value: JSON.parse(text) as JsonValue };
  } catch (error) {
    const why = reasonOf(error);
    return { ok: false, fault: fault('invalid-json', `Not valid JSON: ${firstLine(why)}`, text) };
  }
}

/**
 * JSON in ASCII, for readers that decode each chunk of a pipe by itself, as the SDK of npm agentproc does: a longer
 * character that two chunks share would be lost.
 */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A value as one line. Readers that take U+2028 for the end of a line would see the half of it. */
export function jsonLine(value: unknown): string {
  const line = JSON.stringify(value).replace(
    /[\u2028\u2029]/g,
    (end) => `\\u${end.charCodeAt(0).toString(16)}`,
  );
  return `${line}\n`;
}

/** Whether a value is a JSON object, as opposed to an array, null or a scalar. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Whether the outermost object names `key` more than once. Parsers disagree on which occurrence counts, so a frame that
 * repeats its `type` is refused instead of guessed at.
 */
export function repeatsKey(text: string, key: string): boolean {
  const quoted = `"${key}"`;
  const first = text.indexOf(quoted);
  const isRepeated = first !== -1 && text.indexOf(quoted, first + quoted.length) !== -1;
  // A letter of `key` can be escaped only as `\u00XX`, which few texts contain.
  if (!isRepeated && !text.includes('\\u00')) return false;
  return countTopLevelKey(text, key) > 1;
}

/** Text with at most `maxDepth` opening brackets cannot be too deep, so the full scan in `deepest` is skipped. */
function isTooDeep(text: string, maxDepth: number): boolean {
  if (text.length <= maxDepth * 2) return false;
  let openers = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      if (++openers > maxDepth) return deepest(text, maxDepth);
    }
  }
  return false;
}

function deepest(text: string, maxDepth: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 34) at = endOfString(text, at);
    else if (unit === 123 || unit === 91) {
      if (++depth > maxDepth) return true;
    } else if (unit === 125 || unit === 93) depth--;
  }
  return false;
}

/** A value shortened to 60 characters, for messages. */
export function show(value: JsonValue | undefined): string {
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 60);
}

/** Index of the quote that closes the string opened at `at`. */
export function endOfString(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === 92) slashes++;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}

function countTopLevelKey(text: string, key: string): number {
  let depth = 0;
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 34) {
      const end = endOfString(text, at);
      if (depth === 1 && isFollowedByColon(text, end) && spells(text.slice(at, end + 1), key)) count++;
      at = end;
    } else if (unit === 123 || unit === 91) depth++;
    else if (unit === 125 || unit === 93) depth--;
  }
  return count;
}

function isFollowedByColon(text: string, end: number): boolean {
  let at = end + 1;
  while (text.charCodeAt(at) <= 32) at++;
  return text.charCodeAt(at) === 58;
}

/** Whether a string in quotes is `key`, escapes and all. */
function spells(quoted: string, key: string): boolean {
  if (!quoted.includes('\\')) return quoted.length === key.length + 2 && quoted.slice(1, -1) === key;
  const read = parseJson(quoted);
  return read.ok && read.value === key;
}

function firstLine(text: string): string {
  const end = text.indexOf('\n');
  return end === -1 ? text : text.slice(0, end);
}
