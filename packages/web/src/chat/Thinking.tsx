import { type ReactNode, useState } from 'react';
import type { ThinkingPart } from '../state/entry.ts';
import { visibleLines } from '../text/visible.ts';

/** What the agent thinks aloud: there for who wants it, out of the way for who does not. */
export function Thinking({ part, live }: { readonly part: ThinkingPart; readonly live: boolean }): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <details className="fold thinking" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className={live && part.open ? 'shimmer' : ''}>
        {live && part.open ? 'Thinking…' : 'Thought'}
      </summary>
      {open ? <div className="fold-text prose">{visibleLines(part.text)}</div> : null}
    </details>
  );
}
