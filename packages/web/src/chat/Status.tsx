import type { ReactNode } from 'react';
import { useNow } from '../shell/useNow.ts';
import type { TurnEntry } from '../state/entry.ts';
import { countdown, ordinal } from '../text/time.ts';
import { visible } from '../text/visible.ts';

interface StatusProps {
  readonly turn: TurnEntry;
  /** Without a connection nobody knows whether the turn still runs. */
  readonly connected: boolean;
}

/** The live line below a running turn. It is not part of the answer and leaves no trace. */
export function Status({ turn, connected }: StatusProps): ReactNode {
  const now = useNow(1000, connected);
  const elapsed = now - turn.at;
  const words =
    turn.position === null ? (turn.progress ?? 'Working') : `${ordinal(turn.position)} in the agent's line`;
  if (!connected) {
    return (
      <p className="status" role="status">
        <span className="dot queued" />
        Was running when the connection was lost
      </p>
    );
  }
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
