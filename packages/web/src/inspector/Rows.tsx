import type { FrameView, TurnRecord } from '@plugboard/client';
import { memo, type ReactNode, useCallback, useMemo } from 'react';
import { LongList } from '../shell/LongList.tsx';
import { sizeText } from '../text/bytes.ts';
import { markInvisible } from '../text/visible.ts';
import { alignRecord, type Row, splitRows, type WireFrame } from './align.ts';
import { EventCell } from './EventCell.tsx';

const LONGEST_LINE = 4000;

interface RowsProps {
  readonly record: TurnRecord;
  readonly shown: ReadonlySet<FrameView['stream']>;
}

/** Frames on the left, the events they became on the right, both by time. */
export function Rows({ record, shown }: RowsProps): ReactNode {
  const all = useMemo(() => splitRows(alignRecord(record)), [record]);
  const rows = all.filter(
    ({ frame, events }) => frame === null || shown.has(frame.stream) || events.length > 0,
  );
  const render = useCallback(
    (row: Row): ReactNode => (
      <RowView key={row.key} row={row} hideFrame={row.frame !== null && !shown.has(row.frame.stream)} />
    ),
    [shown],
  );
  return (
    <table className="rows">
      <thead>
        <tr>
          <th scope="col">Time</th>
          <th scope="col">On the wire</th>
          <th scope="col">Events</th>
        </tr>
      </thead>
      <LongList
        name="rows"
        tag="tbody"
        items={rows}
        keyOf={keyOf}
        render={render}
        estimate={64}
        opensAt="start"
      />
    </table>
  );
}

const keyOf = ({ key }: Row): string => key;

const RowView = memo(function RowView({
  row,
  hideFrame,
}: {
  readonly row: Row;
  readonly hideFrame: boolean;
}): ReactNode {
  return (
    <tr className={row.events.some(({ event }) => event.type === 'fault') ? 'faulty' : ''}>
      <td className="row-time">{row.rest === true ? '' : row.at.toFixed(1)}</td>
      <td className="row-wire">
        {row.frame === null || hideFrame ? null : <FrameCell frame={row.frame} />}
        {row.exit === null ? null : (
          <p className="exit">
            The process ended: {row.exit.signal === null ? `code ${row.exit.code}` : row.exit.signal}
          </p>
        )}
      </td>
      <td className="row-events">
        {row.events.map(({ event, number, at }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a record never changes
          <EventCell key={index} fold={`${row.key}/${index}`} event={event} number={number ?? null} at={at} />
        ))}
      </td>
    </tr>
  );
});

function FrameCell({ frame }: { readonly frame: WireFrame }): ReactNode {
  const { stream, lines, ended, bytes } = frame;
  return (
    <div className={`frame ${stream}`}>
      {bytes === null ? null : (
        <p className="frame-head">
          {stream} <span>{sizeText(bytes)}</span>
        </p>
      )}
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a record never changes
        <div className="line" key={index}>
          {markInvisible(line.slice(0, LONGEST_LINE))}
          {line.length > LONGEST_LINE ? <em> … {line.length - LONGEST_LINE} more characters</em> : null}
          {index < lines.length - 1 || ended ? <span className="line-end">↵</span> : null}
        </div>
      ))}
    </div>
  );
}
