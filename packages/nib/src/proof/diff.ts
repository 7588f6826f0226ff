import { terminalText } from '@plugboard/protocol';
import { structuredPatch } from 'diff';
import type { FileChange } from '../files/file-changes.ts';
import type { FileState } from '../files/snapshot.ts';
import type { Colours } from '../terminal/colours.ts';
import { colourLines } from './diff-lines.ts';
import { decodeText } from './proof-changes.ts';

/** Lines of context around a change: one, because a line of a manuscript is often a whole paragraph. */
const CONTEXT = 1;

/** Two long texts with little in common take minutes to compare, and their diff is of no use. */
const TIMEOUT_MS = 3_000;

/** NUL and U+FFFD mark binary data, which has no lines to compare. */
const BINARY = /[\u0000\uFFFD]/;

/** Formats one change as a unified diff. */
export function formatChange({ path, before, after }: FileChange, colours: Colours): string {
  const name = terminalText(path);
  const from = colours.strong(`--- ${before === undefined ? '/dev/null' : `a/${name}`}`);
  const to = colours.strong(`+++ ${after === undefined ? '/dev/null' : `b/${name}`}`);
  return `${from}\n${to}\n${formatBody(path, describeState(before), describeState(after), colours)}`;
}

function formatBody(path: string, old: string, fresh: string, colours: Colours): string {
  if (BINARY.test(old) || BINARY.test(fresh)) return formatRemark(colours, 'not text');
  const patch = structuredPatch(path, path, old, fresh, '', '', { context: CONTEXT, timeout: TIMEOUT_MS });
  if (patch === undefined) return formatRemark(colours, 'too different to be compared line by line');
  if (patch.hunks.length === 0) return formatRemark(colours, 'only line ends or marks differ');
  const parts = patch.hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => {
    const place = colours.position(
      `@@ -${formatPosition(oldStart, oldLines)} +${formatPosition(newStart, newLines)} @@`,
    );
    return `${place}\n${colourLines(lines, colours)}`;
  });
  return parts.join('');
}

/** Formats the position of a hunk; a hunk without lines has the number of the line before it. */
function formatPosition(start: number, lines: number): string {
  return `${lines === 0 ? start - 1 : start},${lines}`;
}

function formatRemark(colours: Colours, what: string): string {
  return `${colours.position(`(${what})`)}\n`;
}

function describeState(state: FileState | undefined): string {
  if (state?.kind === 'link') return `(a link to ${state.target})\n`;
  if (state?.kind === 'other') return `(${state.what})\n`;
  return state?.kind === 'seen'
    ? `(${state.size} bytes, changed at ${state.changedAt})\n`
    : decodeText(state);
}
