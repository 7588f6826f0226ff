import type { FrameView, RecordedEvent, TurnRecord, TurnView } from '@plugboard/client';
import { byteLength, decodeBytes } from '../text/bytes.ts';

/** A decoded frame: its lines, and whether the last line has a line end. */
export interface WireFrame {
  readonly stream: FrameView['stream'];
  readonly lines: readonly string[];
  readonly ended: boolean;
  /** `null` for the rest of a frame that was split over several rows. */
  readonly bytes: number | null;
}

/**
 * A frame of the wire and the events that it caused. `frame` is null for the exit, and for events before the first
 * frame.
 */
export interface Row {
  readonly key: string;
  readonly at: number;
  /** A piece of the row above, made by `splitRows`. */
  readonly rest?: boolean;
  readonly frame: WireFrame | null;
  readonly exit: TurnRecord['exit'];
  readonly events: readonly RecordedEvent[];
}

type Moment = Omit<Row, 'events'> & { events: RecordedEvent[] };

/** Merges `frames` and `events` by time. At equal times the frame comes first, since it is the cause. */
export function alignRecord({ frames, events, exit }: TurnRecord): Row[] {
  const rows: Moment[] = frames.map((frame, index) => ({
    key: `frame-${index}`,
    at: frame.at,
    frame: readFrame(frame),
    exit: null,
    events: [],
  }));
  if (exit !== null) rows.push({ key: 'exit', at: exit.at, frame: null, exit, events: [] });
  rows.sort((a, b) => a.at - b.at);
  const early: Moment = { key: 'early', at: events[0]?.at ?? 0, frame: null, exit: null, events: [] };
  let index = -1;
  for (const event of events) {
    while ((rows[index + 1]?.at ?? Infinity) <= event.at) index += 1;
    (rows[index] ?? early).events.push(event);
  }
  return early.events.length === 0 ? rows : [early, ...rows];
}

/** Lines and events in one row. A frame of 64 KiB can hold thousands of both. */
const MOST_IN_ROW = 8;

/** Splits rows that hold many lines or events, so that no row is too large to be drawn at once. */
export function splitRows(rows: readonly Row[]): Row[] {
  return rows.flatMap((row) => {
    const { frame, events } = row;
    const pieces = Math.ceil(Math.max(frame?.lines.length ?? 0, events.length) / MOST_IN_ROW);
    if (pieces <= 1) return [row];
    return Array.from({ length: pieces }, (_, piece) => rowPiece(row, piece));
  });
}

function rowPiece(row: Row, piece: number): Row {
  const [from, to] = [piece * MOST_IN_ROW, (piece + 1) * MOST_IN_ROW];
  const { frame, exit, events } = row;
  const lines = frame?.lines.slice(from, to) ?? [];
  return {
    ...row,
    key: `${row.key}-${piece}`,
    rest: piece > 0,
    frame:
      frame === null || lines.length === 0
        ? null
        : {
            ...frame,
            lines,
            ended: to < frame.lines.length || frame.ended,
            bytes: piece === 0 ? frame.bytes : null,
          },
    exit: piece === 0 ? exit : null,
    events: events.slice(from, to),
  };
}

export function readFrame({ stream, text, base64 }: FrameView): WireFrame {
  const whole = text ?? decodeBytes(base64 ?? '');
  const ended = whole.endsWith('\n');
  const lines = (ended ? whole.slice(0, -1) : whole).split('\n');
  const bytes =
    base64 === undefined ? byteLength(whole) : Math.floor((base64.replace(/=+$/, '').length * 3) / 4);
  return { stream, lines, ended, bytes };
}

/** How long things took, from the beginning of the turn. */
export interface Timings {
  readonly firstFrame: number | null;
  readonly firstEvent: number | null;
  readonly total: number | null;
}

export function timingsOf({ turn, frames, events }: TurnRecord): Timings {
  return {
    firstFrame: frames.find(({ stream }) => stream === 'stdout')?.at ?? null,
    firstEvent: events[0]?.at ?? null,
    total: spanOf(turn),
  };
}

/**
 * Duration of a turn by the gateway's clock, as the chat shows it; null for an `interrupted` turn, whose end is
 * unknown.
 */
export function spanOf({ state, startedAt, endedAt }: TurnView): number | null {
  return endedAt === null || state === 'interrupted' ? null : endedAt - startedAt;
}
