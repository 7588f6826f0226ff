import type { ReactNode } from 'react';
import type { RecordedEvent, TurnRecord } from '../api/shapes.ts';

const WIDTH = 1000;

/** When things went over the wire (above the line) and became events (below it). */
export function Timeline({ record }: { readonly record: TurnRecord }): ReactNode {
  const { frames, events, exit } = record;
  const end = Math.max(1, exit?.at ?? 0, frames.at(-1)?.at ?? 0, events.at(-1)?.at ?? 0);
  const x = (at: number): number => Math.round((at / end) * (WIDTH - 4)) + 2;
  return (
    <svg className="timeline" viewBox={`0 0 ${WIDTH} 40`} preserveAspectRatio="none" aria-hidden="true">
      <path className="axis" d={`M0 20H${WIDTH}`} />
      {[...Map.groupBy(frames, ({ stream }) => stream)].map(([stream, marks]) => (
        <path key={stream} className={stream} d={marksPath(marks, x, '4V18')} />
      ))}
      {[...Map.groupBy(events, markOf)].map(([mark, marks]) => (
        <path key={mark} className={mark} d={marksPath(marks, x, '22V36')} />
      ))}
    </svg>
  );
}

function markOf({ event }: RecordedEvent): string {
  return event.type === 'fault' ? 'mark-fault' : 'mark-event';
}

/** One path for all marks of a kind, each pixel at most once: a turn may have more events than the lane has pixels. */
function marksPath(
  marks: readonly { readonly at: number }[],
  x: (at: number) => number,
  stroke: string,
): string {
  const pixels = new Set(marks.map(({ at }) => x(at)));
  return [...pixels].map((pixel) => `M${pixel} ${stroke}`).join('');
}
