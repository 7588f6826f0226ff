import type { ReactNode } from 'react';
import type { TurnRecord } from '../api/shapes.ts';

const WIDTH = 1000;
/** Two lanes tell enough of the shape; more marks than pixels tell nothing more. */
const MOST_MARKS = 1500;

/** When things went over the wire (above the line) and became events (below it). */
export function Timeline({ record }: { readonly record: TurnRecord }): ReactNode {
  const { frames, events, exit } = record;
  const end = Math.max(1, exit?.at ?? 0, frames.at(-1)?.at ?? 0, events.at(-1)?.at ?? 0);
  const x = (at: number): number => Math.round((at / end) * (WIDTH - 4)) + 2;
  return (
    <svg className="timeline" viewBox={`0 0 ${WIDTH} 40`} preserveAspectRatio="none" aria-hidden="true">
      <path className="axis" d={`M0 20H${WIDTH}`} />
      {thin(frames).map(({ at, stream }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: marks have no other name than their place
        <path key={index} className={stream} d={`M${x(at)} 4V18`} />
      ))}
      {thin(events).map(({ at, event }, index) => (
        <path
          // biome-ignore lint/suspicious/noArrayIndexKey: marks have no other name than their place
          key={index}
          className={event.type === 'fault' ? 'mark-fault' : 'mark-event'}
          d={`M${x(at)} 22V36`}
        />
      ))}
    </svg>
  );
}

function thin<T>(list: readonly T[]): readonly T[] {
  const step = Math.ceil(list.length / MOST_MARKS);
  return step <= 1 ? list : list.filter((_, index) => index % step === 0);
}
