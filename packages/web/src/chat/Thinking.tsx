import type { ThinkingPart } from '@plugboard/client';
import type { ReactNode } from 'react';
import { useFold } from '../shell/LongList.tsx';
import { visibleLines } from '../text/visible.ts';

interface ThinkingProps {
  readonly part: ThinkingPart;
  readonly live: boolean;
  /** The key under which `useFold` keeps whether it is open. */
  readonly fold: string;
}

/** The agent's reasoning, in a fold that is closed at first. */
export function Thinking({ part, live, fold }: ThinkingProps): ReactNode {
  const [open, setOpen] = useFold(fold);
  return (
    <details className="fold thinking" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className={live && part.open ? 'shimmer' : ''}>
        {live && part.open ? 'Thinking…' : 'Thought'}
      </summary>
      {open ? <div className="fold-text prose">{visibleLines(part.text)}</div> : null}
    </details>
  );
}
