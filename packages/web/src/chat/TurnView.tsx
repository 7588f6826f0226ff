import type { ReactNode } from 'react';
import { Markdown } from '../markdown/Markdown.tsx';
import type { Part, TurnEntry } from '../state/entry.ts';
import { visibleLines } from '../text/visible.ts';
import { Attachments } from './Attachments.tsx';
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

/** A turn: what was said in answer, the tools between, and how it ended. */
export function TurnView({ turn, sessionId, live }: TurnProps): ReactNode {
  const { parts, end, origin } = turn;
  const failure = end?.error !== undefined && end.error.told !== true ? end.error : null;
  return (
    <article className="turn" aria-label="Agent" data-turn={turn.id ?? undefined}>
      {origin === null ? null : <p className="origin">{ORIGINS[origin]}</p>}
      {parts.map((part, index) => (
        <PartView key={part.key} part={part} live={live} last={index === parts.length - 1} />
      ))}
      {end?.data === undefined ? null : <Data value={end.data} />}
      {failure === null || failure.code === 'interrupted' ? null : (
        <p className="failure" role="alert">
          {visibleLines(failure.message)}
        </p>
      )}
      {live ? <Status turn={turn} /> : null}
      {end === null ? null : <TurnFoot turn={turn} end={end} sessionId={sessionId} />}
    </article>
  );
}

interface PartProps {
  readonly part: Part;
  readonly live: boolean;
  readonly last: boolean;
}

function PartView({ part, live, last }: PartProps): ReactNode {
  switch (part.kind) {
    case 'text':
      return (
        <div className="answer">
          {part.text === '' ? null : <Markdown text={part.text} open={part.open && live && last} />}
          <Attachments list={part.media} />
        </div>
      );
    case 'thinking':
      return <Thinking part={part} live={live} />;
    case 'tool':
      return <ToolView part={part} live={live} />;
    case 'said':
      return <SaidView said={part} steered />;
    default:
      return (
        <p className="steered mark-line">
          ↳ {part.count === 1 ? 'A message was' : `${part.count} messages were`} taken into the turn
        </p>
      );
  }
}

function Data({ value }: { readonly value: unknown }): ReactNode {
  return (
    <details className="fold">
      <summary>Structured answer</summary>
      <pre className="fold-text">{JSON.stringify(value, null, 2)}</pre>
    </details>
  );
}
