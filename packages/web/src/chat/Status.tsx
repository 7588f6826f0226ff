import type { ReactNode } from 'react';
import { useNow } from '../shell/useNow.ts';
import type { TurnEntry } from '../state/entry.ts';
import { countdown, ordinal } from '../text/time.ts';
import { visible } from '../text/visible.ts';

/** The live line below a running turn. It is not part of the answer and leaves no trace. */
export function Status({ turn }: { readonly turn: TurnEntry }): ReactNode {
  const now = useNow(1000);
  const elapsed = now - turn.at;
  const words =
    turn.position === null ? (turn.progress ?? 'Working') : `${ordinal(turn.position)} in the agent's line`;
  return (
    <p className="status" role="status">
      <span className="dot running" />
      <span className="shimmer">{visible(words)}</span>
      {elapsed < 3000 ? null : (
        <span className="status-time" aria-hidden="true">
          {countdown(elapsed)}
        </span>
      )}
    </p>
  );
}
