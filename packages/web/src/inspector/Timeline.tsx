import type { RecordedEvent, TurnRecord } from '@plugboard/client';
import type { ReactNode } from 'react';

const WIDTH = 1000;
/** Order of drawing: stderr marks are rare, and must lie above those of stdout. */
const STREAMS = ['stdout', 'stdin', 'stderr'] as const;
const MARKS = ['mark-event', 'mark-fault'] as const;

/** When things went over the wire (above the line) and became events (below it). */
export function Timeline({ record }: { readonly record: TurnRecord }): ReactNode {
  const { frames, events, exit } = record;
  const end = Math.max(1, exit?.at ?? 0, frames.at(-1)?.at ?? 0, events.at(-1)?.at ?? 0);
  const x = (at: number): number => Math.round((at / end) * (WIDTH - 4)) + 2;
  return (
    <svg className="timeline" viewBox={`0 0 ${WIDTH} 40`} preserveAspectRatio="none" aria-hidden="true">
      <path className="axis" d={`M0 20H${WIDTH}`} />
      {STREAMS.map((stream) => (
        <path
          key={stream}
          className={stream}
          d={marksPath(
            frames.filter((frame) => frame.stream === stream),
            x,
            '4V18',
          )}
        />
      ))}
      {MARKS.map((mark) => (
        <path
          key={mark}
          className={mark}
          d={marksPath(
            events.filter((event) => markOf(event) === mark),
            x,
            '22V36',
          )}
        />
      ))}
    </svg>
  );
}

function markOf({ event }: RecordedEvent): (typeof MARKS)[number] {
  return event.type === 'fault' ? 'mark-fault' : 'mark-event';
}

/**
 * One `path` element for each kind of mark, with each pixel at most once: a turn may have more events than the lane has
 * pixels.
 */
function marksPath(
  marks: readonly { readonly at: number }[],
  x: (at: number) => number,
  stroke: string,
): string {
  const pixels = new Set(marks.map(({ at }) => x(at)));
  return [...pixels].map((pixel) => `M${pixel} ${stroke}`).join('');
}
