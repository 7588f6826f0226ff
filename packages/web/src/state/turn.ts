import { type EventView, foldAnswer } from '@plugboard/client';
import type { Event } from '@plugboard/protocol';
import type { TurnEntry } from './entry.ts';

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
  const now = { ...turn, to: number, parts: foldAnswer(turn.parts, event, String(number)) };
  switch (event.type) {
    case 'accepted':
      return { ...now, begun: true, origin: event.origin ?? now.origin, position: null };
    case 'delta':
      return event.kind === 'output' ? { ...now, progress: null } : now;
    case 'message':
      return { ...now, progress: null, position: null };
    case 'progress':
      return { ...now, progress: event.text };
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
      };
    default:
      return now;
  }
}

/** Whether a turn has ended well without an answer. A turn that the agent began by itself needs none. */
export function endedInSilence({ end, origin, parts }: TurnEntry): boolean {
  if (end?.outcome !== 'success' || end.error !== undefined || end.data !== undefined) return false;
  const isAnswered = parts.some(
    (part) => part.kind === 'text' && (part.text.trim() !== '' || part.media.length > 0),
  );
  return origin === null && !isAnswered;
}

/**
 * Duration by the gateway's clock, as in the inspector. The agent's `durationMs` leaves out the time before it began to
 * count. Null for `interrupted` turns, whose end is unknown.
 */
export function timeTaken({ startedAt, endedAt, end }: TurnEntry): number | null {
  if (end === null || end.error?.code === 'interrupted') return null;
  return startedAt === null || endedAt === null ? null : endedAt - startedAt;
}
