import type { ReactNode } from 'react';
import type { Entry } from '../state/entry.ts';
import { visibleLines } from '../text/visible.ts';

const LONGEST = 1000;

/** Announces an answer to screen readers when it is complete: `aria-live` would read each streamed piece. */
export function Announcer({ entries }: { readonly entries: readonly Entry[] }): ReactNode {
  return (
    <div className="unseen" aria-live="polite" aria-atomic="true">
      {lastAnswer(entries)}
    </div>
  );
}

function lastAnswer(entries: readonly Entry[]): string {
  const turn = entries.at(-1);
  if (turn?.kind !== 'turn') return '';
  const part = turn.parts.findLast(({ kind }) => kind === 'text');
  if (part?.kind !== 'text' || part.open) return '';
  return visibleLines(part.text).slice(0, LONGEST);
}
