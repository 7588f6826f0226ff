import type { JsonValue } from '../model/json.ts';
import { endOfString, isObject, parseJson } from './json.ts';

/** Opening brackets that `spans` tries before it gives up: each try scans the rest of the text. */
const LOOKS = 100;

/**
 * The object or array in an answer: the whole text, a fenced block, or a span between words, after removal of `<think>`
 * blocks. Of several candidates an object is preferred to an array, and a longer value to a shorter one.
 */
export function jsonInText(text: string): JsonValue | undefined {
  const plain = withoutThoughts(text).trim();
  const whole = composite(plain);
  if (whole !== undefined) return whole;
  return best(fences(plain).flatMap(parsed)) ?? best([...spans(plain)].flatMap(parsed));
}

/**
 * The text without `<think>` and `<thinking>` blocks. A block without its opening mark is removed too; a block without
 * its closing mark stays.
 */
export function withoutThoughts(text: string): string {
  const rest = withoutMarkedThoughts(text);
  const ends = ['</think>', '</thinking>'].map((mark) => [rest.lastIndexOf(mark), mark.length] as const);
  return rest.slice(Math.max(0, ...ends.map(([at, length]) => (at === -1 ? 0 : at + length))));
}

/**
 * Searches for each closing mark only until it is missing once, so that a text of opening marks alone is scanned in
 * linear time.
 */
function withoutMarkedThoughts(text: string): string {
  const kept: string[] = [];
  const unclosed = new Set<string>();
  let from = 0;
  for (const { 0: opening, 1: name = '', index } of text.matchAll(/<(think|thinking)>/g)) {
    if (index < from || unclosed.has(name)) continue;
    const end = text.indexOf(`</${name}>`, index + opening.length);
    if (end === -1) {
      unclosed.add(name);
      continue;
    }
    kept.push(text.slice(from, index));
    from = end + name.length + '</>'.length;
  }
  return kept.join('') + text.slice(from);
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

/** A row of marks at the beginning of a line. */
interface Fence {
  readonly mark: string;
  readonly length: number;
  /** Where its line begins. */
  readonly start: number;
  /** Length of the longest fence of the same `mark` on a later line; 0 without any. */
  readonly longestLater: number;
}

/**
 * The bodies of fenced blocks. A fence is closed by the next fence of the same `mark` that is at least as long, or as
 * long as `longestLater`. Each line is visited once.
 */
function fences(text: string): string[] {
  const bodies: string[] = [];
  let open: Fence | undefined;
  for (const fence of fencesIn(text)) {
    if (open === undefined) {
      if (fence.longestLater > 0) open = fence;
    } else if (fence.mark === open.mark && fence.length >= Math.min(open.length, open.longestLater)) {
      bodies.push(text.slice(text.indexOf('\n', open.start) + 1, fence.start));
      open = undefined;
    }
  }
  return bodies;
}

function fencesIn(text: string): Fence[] {
  const longest = { '`': 0, '~': 0 };
  return [...text.matchAll(/^[ \t]*(`{3,}|~{3,})/gm)]
    .reverse()
    .map(({ 1: row = '', index }) => {
      const mark = row.startsWith('~') ? '~' : '`';
      const fence = { mark, length: row.length, start: index, longestLater: longest[mark] };
      longest[mark] = Math.max(longest[mark], row.length);
      return fence;
    })
    .reverse();
}

/** Balanced spans, from an opening bracket to its closing bracket, that parse as JSON. */
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
