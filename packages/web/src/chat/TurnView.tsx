import { type ReactNode, useCallback } from 'react';
import { Markdown } from '../markdown/Markdown.tsx';
import { LongList, useFold } from '../shell/LongList.tsx';
import type { Part, TurnEntry } from '../state/entry.ts';
import { visibleLines } from '../text/visible.ts';
import { AskView } from './AskView.tsx';
import { Attachments } from './Attachments.tsx';
import { PlanView } from './PlanView.tsx';
import { SaidView } from './SaidView.tsx';
import { Status } from './Status.tsx';
import { Thinking } from './Thinking.tsx';
import { ToolView } from './ToolView.tsx';
import { TurnFoot } from './TurnFoot.tsx';
import './turn.css';

interface TurnProps {
  readonly turn: TurnEntry;
  readonly sessionId: string;
  readonly live: boolean;
}

const ORIGINS = { alarm: 'An alarm went off', task: 'A task reported' } as const;

/** A turn: its answer, its tool calls, and how it ended. */
export function TurnView({
  turn,
  sessionId,
  live,
  connected,
}: TurnProps & { readonly connected: boolean }): ReactNode {
  const { end, origin } = turn;
  const failure = end?.error !== undefined && end.error.told !== true ? end.error : null;
  return (
    <article className="turn" aria-label="Agent" data-turn={turn.id ?? undefined}>
      {origin === null ? null : <p className="origin">{ORIGINS[origin]}</p>}
      <Parts turn={turn} sessionId={sessionId} live={live} />
      {end?.data === undefined ? null : <Data value={end.data} fold={`${turn.key}/data`} />}
      {failure === null || failure.code === 'interrupted' ? null : (
        <p className="failure" role="alert">
          {visibleLines(failure.message)}
        </p>
      )}
      {failure?.detail === undefined ? null : (
        <FailureDetail text={failure.detail} fold={`${turn.key}/detail`} />
      )}
      {live ? <Status turn={turn} connected={connected} /> : null}
      {end === null ? null : <TurnFoot turn={turn} end={end} sessionId={sessionId} />}
    </article>
  );
}

function Parts({ turn, sessionId, live }: TurnProps): ReactNode {
  const { key, parts } = turn;
  // Only the last part can have a caret, so only its section depends on which one it is.
  const lastText = live && parts.at(-1)?.kind === 'text' ? parts.at(-1)?.key : undefined;
  const render = useCallback(
    (part: Part): ReactNode => (
      <PartView
        key={part.key}
        part={part}
        turnKey={key}
        sessionId={sessionId}
        live={live}
        last={part.key === lastText}
      />
    ),
    [key, sessionId, live, lastText],
  );
  return <LongList name={key} items={parts} keyOf={keyOf} render={render} estimate={36} opensAt="end" />;
}

const keyOf = ({ key }: Part): string => key;

interface PartProps {
  readonly turnKey: string;
  readonly sessionId: string;
  readonly part: Part;
  readonly live: boolean;
  readonly last: boolean;
}

function PartView({ turnKey, sessionId, part, live, last }: PartProps): ReactNode {
  switch (part.kind) {
    case 'text':
      return (
        <div className="answer">
          {part.text === '' ? null : (
            <Markdown text={part.text} open={part.open && last} name={`${turnKey}/${part.key}`} />
          )}
          <Attachments list={part.media} />
        </div>
      );
    case 'thinking':
      return <Thinking part={part} live={live} fold={`${turnKey}/${part.key}`} />;
    case 'tool':
      return <ToolView part={part} live={live} fold={`${turnKey}/${part.key}`} />;
    case 'plan':
      return <PlanView part={part} />;
    case 'ask':
      return <AskView part={part} />;
    case 'said':
      return <SaidView said={part} sessionId={sessionId} steered />;
    default:
      return (
        <p className="steered mark-line">
          ↳ {part.count === 1 ? 'A message was' : `${part.count} messages were`} taken into the turn
        </p>
      );
  }
}

/** The gateway sends the end of stderr to operators alone. */
function FailureDetail({ text, fold }: { readonly text: string; readonly fold: string }): ReactNode {
  const [open, setOpen] = useFold(fold);
  return (
    <details className="fold" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>What the agent wrote to stderr</summary>
      <pre className="fold-text">{visibleLines(text)}</pre>
    </details>
  );
}

function Data({ value, fold }: { readonly value: unknown; readonly fold: string }): ReactNode {
  const [open, setOpen] = useFold(fold);
  return (
    <details className="fold" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Structured answer</summary>
      <pre className="fold-text">{JSON.stringify(value, null, 2)}</pre>
    </details>
  );
}
