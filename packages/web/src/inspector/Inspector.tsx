import type { FrameView, SessionView, TurnRecord, TurnView } from '@plugboard/client';
import { type ReactNode, useState } from 'react';
import { Icon } from '../shell/icons.tsx';
import { LongListMemory } from '../shell/LongList.tsx';
import { Name } from '../shell/Name.tsx';
import { goTo, showToast } from '../state/app.ts';
import { hashOf } from '../state/route.ts';
import { copyText } from '../text/clipboard.ts';
import { clockText, formatDuration } from '../text/time.ts';
import { markInvisible } from '../text/visible.ts';
import { spanOf } from './align.ts';
import { ReplayView } from './ReplayView.tsx';
import { Rows } from './Rows.tsx';
import { Summary } from './Summary.tsx';
import { useRecord } from './useRecord.ts';
import './inspector.css';

interface InspectorProps {
  readonly id: string;
  readonly turnId: string | null;
}

/** A turn taken apart: the bytes on the wire beside the events they became. */
export function Inspector({ id, turnId }: InspectorProps): ReactNode {
  const { session, turns, record, problem, reload } = useRecord(id, turnId);
  return (
    <div className="inspector">
      <header className="head">
        <a
          className="icon-button"
          href={hashOf({ at: 'session', id })}
          aria-label="Back to the conversation"
          title="Back to the conversation"
        >
          <Icon name="back" />
        </a>
        <Heading session={session} />
        <TurnPicker sessionId={id} turns={turns} current={record?.turn ?? null} />
        <button
          type="button"
          className="icon-button"
          aria-label="Load again"
          title="Load again"
          onClick={reload}
        >
          <Icon name="again" />
        </button>
      </header>
      {problem === null ? null : <p className="center muted">{problem}</p>}
      {record === null || problem !== null ? null : <Opened key={record.turn.id} record={record} />}
    </div>
  );
}

function Heading({ session }: { readonly session: SessionView | null }): ReactNode {
  return (
    <h1 className="head-title inspector-title">
      Inspector <Name className="muted" text={session === null ? '' : session.title || 'New session'} />
    </h1>
  );
}

interface PickerProps {
  readonly sessionId: string;
  readonly turns: readonly TurnView[];
  readonly current: TurnView | null;
}

function TurnPicker({ sessionId, turns, current }: PickerProps): ReactNode {
  const listed = current === null || turns.some(({ id }) => id === current.id) ? turns : [current, ...turns];
  return (
    <select
      className="head-agent picker"
      aria-label="Turn"
      value={current?.id ?? ''}
      onChange={(event) => goTo({ at: 'inspect', id: sessionId, turnId: event.target.value })}
    >
      {listed.map((turn) => (
        <option key={turn.id} value={turn.id}>
          {clockText(turn.startedAt)} · {markInvisible(turn.agent)} · {turn.state}
          {spanText(turn)}
        </option>
      ))}
    </select>
  );
}

function spanText(turn: TurnView): string {
  const span = spanOf(turn);
  return span === null ? '' : ` · ${formatDuration(span)}`;
}

const STREAMS = ['stdin', 'stdout', 'stderr'] as const;

function Opened({ record }: { readonly record: TurnRecord }): ReactNode {
  const [shown, setShown] = useState<ReadonlySet<FrameView['stream']>>(new Set(STREAMS));
  const toggle = (stream: FrameView['stream']): void =>
    setShown((now) => new Set(STREAMS.filter((one) => now.has(one) !== (one === stream))));
  return (
    <div className="inspector-body">
      <Summary record={record} />
      <div className="inspector-tools">
        {STREAMS.map((stream) => (
          <button
            key={stream}
            type="button"
            className={`chip ${stream}`}
            aria-pressed={shown.has(stream)}
            onClick={() => toggle(stream)}
          >
            {stream} <span>{record.frames.filter((frame) => frame.stream === stream).length}</span>
          </button>
        ))}
        <button type="button" className="button quiet push" onClick={() => copyJson(record)}>
          <Icon name="copy" /> Copy as JSON
        </button>
      </div>
      <LongListMemory>
        <ReplayView record={record} />
        <Rows record={record} shown={shown} />
      </LongListMemory>
    </div>
  );
}

async function copyJson(record: TurnRecord): Promise<void> {
  const copied = await copyText(JSON.stringify(record, null, 2));
  showToast(copied ? 'The record is in the clipboard.' : 'The browser does not allow copying.');
}
