import type { TurnRecord } from '@plugboard/client';
import type { ReactNode } from 'react';
import { formatDuration } from '../text/time.ts';
import { timingsOf } from './align.ts';
import { Timeline } from './Timeline.tsx';

/** The turn in figures. */
export function Summary({ record }: { readonly record: TurnRecord }): ReactNode {
  const { firstFrame, firstEvent, total } = timingsOf(record);
  const faults = record.events.filter(({ event }) => event.type === 'fault').length;
  const time = (ms: number | null): string => (ms === null ? '–' : formatDuration(ms));
  return (
    <section className="summary" aria-label="Timings">
      <dl className="figures">
        <Figure name="Dialect" value={record.dialect} />
        <Figure name="Outcome" value={record.turn.state} tone={record.turn.state} />
        <Figure name="First frame" value={time(firstFrame)} />
        <Figure name="First event" value={time(firstEvent)} />
        <Figure name="Total" value={time(total)} />
        <Figure name="Exit" value={exitText(record.exit)} />
        <Figure name="Faults" value={String(faults)} tone={faults > 0 ? 'error' : ''} />
      </dl>
      <Timeline record={record} />
      {record.complete ? null : (
        <p className="muted">
          {record.turn.state === 'running'
            ? 'The turn is still running.'
            : 'The record was cut at its limit: more went over the wire than is kept.'}
        </p>
      )}
    </section>
  );
}

function Figure({
  name,
  value,
  tone = '',
}: {
  readonly name: string;
  readonly value: string;
  readonly tone?: string;
}): ReactNode {
  return (
    <div className={`figure ${tone}`}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function exitText(exit: TurnRecord['exit']): string {
  if (exit === null) return '–';
  return exit.signal ?? `code ${exit.code ?? '?'}`;
}
