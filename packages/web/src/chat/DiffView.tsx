import type { FileDiff } from '@plugboard/protocol';
import { type ReactNode, useMemo } from 'react';
import { type Difference, diffLines } from '../text/diff.ts';
import { markInvisible, visibleLines } from '../text/visible.ts';

/** Unchanged lines shown around a change. */
const AROUND = 3;
/** More lines than this are read in the inspector. */
const MOST_LINES = 2_000;

const SIGNS = { same: ' ', gone: '−', new: '+' } as const;

/** The change of one file, line by line. */
export function DiffView({ diff }: { readonly diff: FileDiff }): ReactNode {
  const lines = useMemo(() => numberLines(linesOf(diff)), [diff]);
  const shown = lines.slice(0, MOST_LINES);
  return (
    <figure className="diff">
      <figcaption className="diff-path">{markInvisible(diff.path)}</figcaption>
      <pre className="fold-text">
        {shown.map(({ key, line }) => (
          <span key={key} className={`diff-line ${line.kind}`}>
            {SIGNS[line.kind]} {visibleLines(line.text)}
            {'\n'}
          </span>
        ))}
        {lines.length > shown.length ? `… ${lines.length - shown.length} more lines` : null}
      </pre>
    </figure>
  );
}

function numberLines(lines: readonly Difference[]): { key: string; line: Difference }[] {
  return lines.map((line, index) => ({ key: String(index), line }));
}

function linesOf({ oldText, newText, patch }: FileDiff): readonly Difference[] {
  if (patch !== undefined) return patchLines(patch);
  const before = oldText === undefined ? [] : splitLines(oldText);
  return nearChanges(diffLines(before, splitLines(newText ?? '')));
}

/** A final line end begins no line. */
function splitLines(text: string): string[] {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** The lines of a unified diff without its headers, which `diff.path` repeats. */
function patchLines(patch: string): Difference[] {
  return splitLines(patch).flatMap((line): Difference[] => {
    if (/^(---|\+\+\+|diff |index )/.test(line)) return [];
    const text = line.slice(1);
    if (line.startsWith('+')) return [{ kind: 'new', text }];
    return [line.startsWith('-') ? { kind: 'gone', text } : { kind: 'same', text: line.replace(/^ /, '') }];
  });
}

/** Leaves out unchanged lines that are far from every change; `⋯` stands in their place. */
function nearChanges(lines: readonly Difference[]): Difference[] {
  const isNear = lines.map(() => false);
  for (const [index, { kind }] of lines.entries()) {
    if (kind === 'same') continue;
    isNear.fill(true, Math.max(0, index - AROUND), index + AROUND + 1);
  }
  return lines.flatMap((line, index): Difference[] => {
    if (isNear[index]) return [line];
    return index === 0 || isNear[index - 1] ? [{ kind: 'same', text: '⋯' }] : [];
  });
}
