import { terminalText } from '@plugboard/protocol';
import { structuredPatch } from 'diff';
import type { FileChange } from '../files/changes.ts';
import type { Held } from '../files/snapshot.ts';
import type { Paint } from '../terminal/paint.ts';
import { textOf } from './changes.ts';
import { paintLines } from './lines.ts';

/** So many lines around a change are shown: a line of a manuscript is often a whole paragraph. */
const CONTEXT = 1;

/** Two long texts that have little in common can take minutes to compare; nobody would read the result. */
const PATIENCE_MS = 3_000;

/** Binary files, and the like, have no lines to compare. */
const BINARY = /[\u0000\uFFFD]/;

/** One change as a unified diff. */
export function formatChange({ path, before, after }: FileChange, paint: Paint): string {
  const name = terminalText(path);
  const from = paint.strong(`--- ${before === undefined ? '/dev/null' : `a/${name}`}`);
  const to = paint.strong(`+++ ${after === undefined ? '/dev/null' : `b/${name}`}`);
  return `${from}\n${to}\n${bodyOf(path, shown(before), shown(after), paint)}`;
}

function bodyOf(path: string, old: string, fresh: string, paint: Paint): string {
  if (BINARY.test(old) || BINARY.test(fresh)) return remark(paint, 'not text');
  const patch = structuredPatch(path, path, old, fresh, '', '', { context: CONTEXT, timeout: PATIENCE_MS });
  if (patch === undefined) return remark(paint, 'too different to be compared line by line');
  if (patch.hunks.length === 0) return remark(paint, 'only line ends or marks differ');
  const parts = patch.hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => {
    const place = paint.place(`@@ -${spot(oldStart, oldLines)} +${spot(newStart, newLines)} @@`);
    return `${place}\n${paintLines(lines, paint)}`;
  });
  return parts.join('');
}

/** Where a hunk stands; one without lines stands after the line before it. */
function spot(start: number, lines: number): string {
  return `${lines === 0 ? start - 1 : start},${lines}`;
}

function remark(paint: Paint, what: string): string {
  return `${paint.place(`(${what})`)}\n`;
}

function shown(held: Held | undefined): string {
  if (held?.kind === 'link') return `(a link to ${held.target})\n`;
  return held?.kind === 'seen' ? `(${held.size} bytes, changed at ${held.changedAt})\n` : textOf(held);
}
