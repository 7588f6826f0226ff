import type { Event, Message } from '@plugboard/protocol';
import type { EventView } from '../api/shapes.ts';
import type { Part, TextPart, TurnEntry } from './entry.ts';

export function beginTurn({ turnId, number, at }: EventView): TurnEntry {
  return {
    kind: 'turn',
    key: `turn-${turnId ?? number}`,
    id: turnId,
    from: number,
    to: number,
    at,
    startedAt: null,
    endedAt: null,
    begun: false,
    origin: null,
    parts: [],
    progress: null,
    position: null,
    faults: 0,
    end: null,
  };
}

/** A turn after one more of its events. */
export function stepTurn(turn: TurnEntry, event: Event, { number, at, startedAt }: EventView): TurnEntry {
  const now = { ...turn, to: number };
  const key = String(number);
  switch (event.type) {
    case 'accepted':
      return { ...now, begun: true, origin: event.origin ?? now.origin, position: null };
    case 'delta':
      return {
        ...now,
        parts: addDelta(now.parts, event.kind, event.text, key),
        ...outputHides(now, event.kind),
      };
    case 'message':
      return { ...now, parts: addMessage(now.parts, event, key), progress: null, position: null };
    case 'progress':
      return { ...now, progress: event.text };
    case 'tool-call': {
      const { id, name, input } = event;
      return { ...now, parts: [...sealed(now.parts), { kind: 'tool', key, id, name, input, result: null }] };
    }
    case 'tool-result':
      return { ...now, parts: addResult(now.parts, event, key) };
    case 'queued':
      return { ...now, position: event.position };
    case 'fault':
      return { ...now, faults: now.faults + 1 };
    case 'end':
      return {
        ...now,
        end: event,
        startedAt: startedAt ?? null,
        endedAt: at,
        progress: null,
        position: null,
        parts: closed(now.parts),
      };
    default:
      return now;
  }
}

/**
 * How long a turn took by the clock of the gateway, as the inspector has it; not by the agent's `durationMs`, which leaves out
 * what happened before the agent began to count. Of an interrupted turn, only the restart of the gateway is known.
 */
export function timeTaken({ startedAt, endedAt, end }: TurnEntry): number | null {
  if (end === null || end.error?.code === 'interrupted') return null;
  return startedAt === null || endedAt === null ? null : endedAt - startedAt;
}

function outputHides(turn: TurnEntry, kind: 'output' | 'thinking'): Partial<TurnEntry> {
  return kind === 'output' && turn.progress !== null ? { progress: null } : {};
}

function addDelta(parts: readonly Part[], kind: 'output' | 'thinking', text: string, key: string): Part[] {
  const last = parts.at(-1);
  if (kind === 'thinking') {
    if (last?.kind === 'thinking' && last.open)
      return [...parts.slice(0, -1), { ...last, text: last.text + text }];
    return [...sealed(parts), { kind: 'thinking', key, text, open: true }];
  }
  if (last?.kind === 'text' && last.open) return [...parts.slice(0, -1), { ...last, text: last.text + text }];
  return [...sealed(parts), { kind: 'text', key, text, media: [], open: true }];
}

/**
 * A message takes the place of its preview. One whose text has been said by the deltas leaves them where they are, so
 * that tool calls stay between the words they came between; the part that is on the page may then be only the tail of
 * it, when older events are not loaded yet.
 */
function addMessage(parts: readonly Part[], { text, media, streamed }: Message, key: string): Part[] {
  const preview = parts.filter(isPreview);
  const last = preview.at(-1);
  if (last === undefined) return [...sealed(parts), { kind: 'text', key, text, media, open: false }];
  if (streamed === undefined) {
    return [
      ...sealed(parts.filter((part) => !isPreview(part))),
      { kind: 'text', key: last.key, text, media, open: false },
    ];
  }
  const whole = preview.length === 1 && text.endsWith(last.text) ? text : last.text;
  return closed(parts.map((part) => (part === last ? { ...last, text: whole, media } : part)));
}

function isPreview(part: Part): part is TextPart {
  return part.kind === 'text' && part.open;
}

function addResult(
  parts: readonly Part[],
  { id, content, isError }: { id: string; content: string; isError: boolean },
  key: string,
): Part[] {
  const result = { content, isError };
  const at = parts.findLastIndex((part) => part.kind === 'tool' && part.id === id && part.result === null);
  const called = parts[at];
  if (called?.kind === 'tool') return parts.with(at, { ...called, result });
  return [...sealed(parts), { kind: 'tool', key, id, name: '', input: null, result }];
}

/** Thinking ends when something else begins; a preview of text goes on being one until its message comes. */
function sealed(parts: readonly Part[]): readonly Part[] {
  const last = parts.at(-1);
  return last?.kind === 'thinking' && last.open ? parts.with(-1, { ...last, open: false }) : parts;
}

/** Nothing more will come of any part. */
function closed(parts: readonly Part[]): Part[] {
  return parts.map((part) => ('open' in part && part.open ? { ...part, open: false } : part));
}
