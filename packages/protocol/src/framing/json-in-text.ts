import type { JsonValue } from '../model/json.ts';
import { endOfString, isObject, parseJson } from './json.ts';

/** How many brackets are looked at before prose is taken to hold no JSON: each look costs a scan of what follows. */
const LOOKS = 100;

/**
 * The object or array that an answer in words holds: as it is, in a fence, or between other words, whatever was
 * thought aloud before. Where there are several, an object counts before an array, and the longer one before the shorter.
 */
export function jsonInText(text: string): JsonValue | undefined {
  const plain = withoutThoughts(text).trim();
  const whole = composite(plain);
  if (whole !== undefined) return whole;
  return best(fences(plain).flatMap(parsed)) ?? best([...spans(plain)].flatMap(parsed));
}

/** A text without what a model has thought aloud in it; the opening mark may be missing, the closing one may not. */
export function withoutThoughts(text: string): string {
  const rest = text.replace(/<(think|thinking)>[\s\S]*?<\/\1>/g, '');
  const end = /^[\s\S]*<\/think(?:ing)?>/.exec(rest);
  return end === null ? rest : rest.slice(end[0].length);
}

interface Found {
  readonly value: JsonValue;
  readonly length: number;
}

function composite(source: string): JsonValue | undefined {
  if (!/^[{[]/.test(source)) return undefined;
  const read = parseJson(source);
  return read.ok ? read.value : undefined;
}

function parsed(source: string): Found[] {
  const value = composite(source.trim());
  return value === undefined ? [] : [{ value, length: source.length }];
}

function best(found: readonly Found[]): JsonValue | undefined {
  const objects = found.filter(({ value }) => isObject(value));
  const choice = objects.length > 0 ? objects : found;
  return choice.reduce<Found | undefined>(
    (longest, one) => (longest === undefined || one.length > longest.length ? one : longest),
    undefined,
  )?.value;
}

function fences(text: string): string[] {
  return [...text.matchAll(/^[ \t]*(`{3,}|~{3,})[^\n]*\n([\s\S]*?)^[ \t]*\1/gm)].map(
    ([, , body = '']) => body,
  );
}

/** Whatever stands between an opening bracket and the one that closes it. */
function* spans(text: string): Generator<string> {
  let at = 0;
  for (let looks = 0; looks < LOOKS; looks++) {
    const start = at + text.slice(at).search(/[{[]/);
    if (start < at) return;
    const end = closing(text, start);
    const span = end === undefined ? '' : text.slice(start, end);
    const isJson = span !== '' && composite(span) !== undefined;
    if (isJson) yield span;
    at = isJson && end !== undefined ? end : start + 1;
  }
}

/** Where the bracket that opens at `start` has been closed. */
function closing(text: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 34) at = endOfString(text, at);
    else if (unit === 123 || unit === 91) depth++;
    else if ((unit === 125 || unit === 93) && --depth === 0) return at + 1;
  }
  return undefined;
}
