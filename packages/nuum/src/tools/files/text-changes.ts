import { lineAt, type Range } from './occurrences.ts';

const CONTEXT = 3;
const LINES_SHOWN = 80;
const WIDTH = 300;
const CHANGES_SHOWN = 100;

export interface Change extends Range {
  readonly text: string;
}

/** Applies changes, which must be sorted and must not overlap. */
export function applyChanges(text: string, changes: readonly Change[]): string {
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end, text: piece } of changes) {
    pieces.push(text.slice(from, start), piece);
    from = end;
  }
  pieces.push(text.slice(from));
  return pieces.join('');
}

/** The changes as a unified diff of at most `LINES_SHOWN` lines. */
export function showChanges(before: string, changes: readonly Change[]): string {
  const lines: string[] = [];
  let shift = 0;
  for (const group of groupChanges(before, changes.slice(0, CHANGES_SHOWN))) {
    const hunk = hunkOf(before, group, shift);
    lines.push(...hunk.lines);
    shift += hunk.grown;
    if (lines.length > LINES_SHOWN) break;
  }
  const shown = lines.slice(0, LINES_SHOWN).map(cutLine);
  return [
    ...shown,
    ...(lines.length > LINES_SHOWN || changes.length > CHANGES_SHOWN
      ? ['… (more is changed than is shown)']
      : []),
  ].join('\n');
}

function cutLine(line: string): string {
  const text = line.replace(/\r$/, '');
  return text.length > WIDTH ? `${text.slice(0, WIDTH)}…` : text;
}

interface Group {
  /** From the start of a line to the end of one, without its LF. */
  readonly start: number;
  readonly end: number;
  readonly changes: readonly Change[];
}

/** Changes with their context lines. Changes whose lines touch are one hunk. */
function groupChanges(text: string, changes: readonly Change[]): Group[] {
  const found: Group[] = [];
  for (const change of changes) {
    const start = linesBefore(text, change.start, CONTEXT);
    const end = linesAfter(text, change.end, CONTEXT);
    const last = found.at(-1);
    if (last !== undefined && start <= last.end + 1) {
      found[found.length - 1] = { start: last.start, end, changes: [...last.changes, change] };
    } else found.push({ start, end, changes: [change] });
  }
  return found;
}

function linesBefore(text: string, position: number, count: number): number {
  let at = lineStart(text, position);
  for (let line = 0; line < count && at > 0; line += 1) at = lineStart(text, at - 1);
  return at;
}

function lineStart(text: string, position: number): number {
  return position === 0 ? 0 : text.lastIndexOf('\n', position - 1) + 1;
}

function linesAfter(text: string, position: number, count: number): number {
  let at = lineEnd(text, position);
  for (let line = 0; line < count && at < text.length; line += 1) at = lineEnd(text, at + 1);
  return at;
}

function lineEnd(text: string, position: number): number {
  const feed = text.indexOf('\n', position);
  return feed < 0 ? text.length : feed;
}

interface Hunk {
  readonly lines: readonly string[];
  /** The number of added lines minus removed ones. */
  readonly grown: number;
}

function hunkOf(text: string, { start, end, changes }: Group, shift: number): Hunk {
  const moved = changes.map((change) => ({
    ...change,
    start: change.start - start,
    end: change.end - start,
  }));
  const region = text.slice(start, end);
  const before = region.split('\n');
  const after = applyChanges(region, moved).split('\n');
  const head = commonLines(before, after);
  const tail = commonLines(before.slice(head).reverse(), after.slice(head).reverse());
  const from = Math.max(0, head - CONTEXT);
  const to = Math.min(tail, CONTEXT);
  const at = lineAt(text, start) + from;
  const counts = [before.length - from - tail + to, after.length - from - tail + to];
  return {
    lines: [
      `@@ -${at},${counts[0]} +${at + shift},${counts[1]} @@`,
      ...before.slice(from, head).map((line) => ` ${line}`),
      ...before.slice(head, before.length - tail).map((line) => `-${line}`),
      ...after.slice(head, after.length - tail).map((line) => `+${line}`),
      ...before.slice(before.length - tail, before.length - tail + to).map((line) => ` ${line}`),
    ],
    grown: after.length - before.length,
  };
}

function commonLines(a: readonly string[], b: readonly string[]): number {
  let count = 0;
  while (count < a.length && count < b.length && a[count] === b[count]) count += 1;
  return count;
}
