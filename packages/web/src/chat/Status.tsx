import type { ReactNode } from 'react';
import { useNow } from '../shell/useNow.ts';
import type { TurnEntry } from '../state/entry.ts';
import { formatCountdown, formatOrdinal } from '../text/time.ts';
import { markInvisible } from '../text/visible.ts';

interface StatusProps {
  readonly turn: TurnEntry;
  /** Without a connection the state of the turn is unknown. */
  readonly connected: boolean;
}

/** The live line below a running turn. It is not part of the answer and leaves no trace. */
export function Status({ turn, connected }: StatusProps): ReactNode {
  const now = useNow(1000, connected);
  const elapsed = now - turn.at;
  const words =
    turn.position === null
      ? (turn.progress ?? 'Working')
      : `${formatOrdinal(turn.position)} in the agent's line`;
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
      <span className="shimmer">{markInvisible(words)}</span>
      {elapsed < 3000 ? null : (
        <span className="status-time" aria-hidden="true">
          {formatCountdown(elapsed)}
        </span>
      )}
    </p>
  );
}
