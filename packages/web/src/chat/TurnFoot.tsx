import type { End } from '@plugboard/protocol';
import { type ReactNode, useState } from 'react';
import { Icon } from '../shell/icons.tsx';
import type { TurnEntry } from '../state/entry.ts';
import { hashOf } from '../state/route.ts';
import { endedInSilence, timeTaken } from '../state/turn.ts';
import { copyText } from '../text/clipboard.ts';
import { formatCost } from '../text/cost.ts';
import { formatDuration, fullText } from '../text/time.ts';

interface FootProps {
  readonly turn: TurnEntry;
  readonly end: End;
  readonly sessionId: string;
}

/** How the turn ended, quietly when it ended well. */
export function TurnFoot({ turn, end, sessionId }: FootProps): ReactNode {
  const mark = endedInSilence(turn) ? 'The agent ended without an answer' : markOf(end);
  const inspect = hashOf({ at: 'inspect', id: sessionId, turnId: turn.id });
  const taken = timeTaken(turn);
  return (
    <footer className="turn-foot">
      {mark === null ? null : <span className={`outcome ${end.outcome}`}>{mark}</span>}
      {turn.faults === 0 ? null : (
        <a className="faults" href={inspect}>
          {turn.faults === 1 ? '1 fault' : `${turn.faults} faults`}
        </a>
      )}
      <span className="foot-quiet">
        <CopyAnswer turn={turn} />
        <a href={inspect} title="Frames, events and timings of this turn">
          Inspect
        </a>
        <time title={usageText(end, turn.endedAt ?? turn.at)}>
          {taken === null ? '' : formatDuration(taken)}
        </time>
        {end.cost === undefined ? null : (
          <span title="What the agent says that this turn has cost">{formatCost(end.cost)}</span>
        )}
      </span>
    </footer>
  );
}

function markOf({ outcome, error }: End): string | null {
  if (error?.code === 'interrupted') return 'Interrupted: the gateway stopped while the turn was running';
  if (outcome === 'cancelled') return 'Stopped';
  if (outcome === 'timeout') return 'Out of time';
  return outcome === 'error' ? 'Failed' : null;
}

function usageText({ usage, durationMs }: End, at: number): string {
  const counts = Object.entries(usage ?? {}).map(([name, count]) => `${name}: ${count}`);
  const own = durationMs === undefined ? [] : [`The agent counted ${formatDuration(durationMs)}`];
  return [fullText(at), ...own, ...counts].join('\n');
}

function CopyAnswer({ turn }: { readonly turn: TurnEntry }): ReactNode {
  const [copied, setCopied] = useState(false);
  const text = turn.parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n\n');
  if (text === '') return null;
  const copy = async (): Promise<void> => {
    setCopied(await copyText(text));
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <button type="button" onClick={copy} aria-label="Copy the answer">
      <Icon name={copied ? 'check' : 'copy'} /> {copied ? 'Copied' : 'Copy'}
    </button>
  );
}
