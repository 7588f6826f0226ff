import type { Event } from '@plugboard/protocol';
import type { ReactNode } from 'react';
import { useFold } from '../shell/LongList.tsx';
import { markInvisible, visibleLines } from '../text/visible.ts';

interface EventCellProps {
  /** The key under which `useFold` keeps whether it is open. */
  readonly fold: string;
  readonly event: Event;
  readonly number: number | null;
  readonly at: number;
}

const BRIEF = 160;

/** An event on one line, which opens to all of it. */
export function EventCell({ fold, event, number, at }: EventCellProps): ReactNode {
  const [open, setOpen] = useFold(fold);
  return (
    <details
      className={`event event-${event.type}`}
      open={open}
      onToggle={(toggle) => setOpen(toggle.currentTarget.open)}
    >
      <summary>
        <span className="event-type">{event.type}</span>
        <span className="event-brief">{markInvisible(summarizeEvent(event).slice(0, BRIEF))}</span>
        <span className="event-at">
          {number === null ? '' : `#${number} · `}
          {at.toFixed(1)}
        </span>
      </summary>
      {open ? <pre>{visibleLines(JSON.stringify(event, null, 2))}</pre> : null}
    </details>
  );
}

function summarizeEvent(event: Event): string {
  switch (event.type) {
    case 'delta':
      return `${event.kind === 'thinking' ? 'thinking ' : ''}${JSON.stringify(event.text)}`;
    case 'message':
      return `${event.streamed ? 'streamed ' : ''}${JSON.stringify(event.text)}`;
    case 'progress':
      return event.text;
    case 'thinking':
      return `${event.streamed ? 'streamed ' : ''}${JSON.stringify(event.text)}`;
    case 'tool-call':
      return `${event.title ?? event.name} ${JSON.stringify(event.input)}`;
    case 'tool-update':
      return [event.status, event.title, event.content?.map(({ type }) => type).join(', ')]
        .filter(Boolean)
        .join(' ');
    case 'plan':
      return event.steps.map(({ text, status }) => `${text} (${status})`).join(', ');
    case 'usage':
      return JSON.stringify(event.usage);
    case 'options':
      return [
        ...(event.options ?? []).map(({ id, value }) => `${id}=${value}`),
        ...(event.commands ?? []).map(({ name }) => `/${name}`),
      ].join(' ');
    case 'session-info':
      return event.title;
    case 'tool-result':
      return `${event.isError ? 'error ' : ''}${event.content}`;
    case 'tasks':
      return `${event.tasks.length}`;
    case 'log':
      return `${event.level} ${event.source}: ${event.text}`;
    case 'fault':
      return `${event.fault.code}: ${event.fault.message}`;
    case 'end':
      return `${event.outcome}${event.error === undefined ? '' : `: ${event.error.message}`}`;
    case 'ask':
      return event.question.title;
    case 'ask-ended':
      return `${event.outcome}${event.answer?.option === undefined ? '' : `: ${event.answer.option}`}`;
    case 'session':
      return event.id;
    case 'queued':
      return `${event.position}`;
    case 'steered':
      return event.inputs.join(', ');
    default:
      return '';
  }
}
