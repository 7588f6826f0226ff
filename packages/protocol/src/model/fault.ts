/** Kinds of faults on the wire. A fault is data: it is reported in a `fault` event, never thrown. */
export type FaultCode =
  | 'invalid-json'
  | 'too-deep'
  | 'duplicate-key'
  | 'line-too-long'
  | 'output-too-long'
  | 'invalid-utf8'
  | 'unknown-frame'
  | 'malformed-frame'
  | 'late-frame'
  | 'frames-as-text'
  | 'bad-session-id'
  | 'media-refused'
  | 'too-many-faults';

/** A fault on the wire, with an `excerpt` of the malformed text. */
export interface Fault {
  readonly code: FaultCode;
  readonly message: string;
  readonly excerpt?: string;
}

const EXCERPT_LENGTH = 120;

/** Builds a fault; `raw` is cut to a short excerpt, so a fault never holds on to a large frame. */
export function fault(code: FaultCode, message: string, raw?: string): Fault {
  return raw === undefined ? { code, message } : { code, message, excerpt: excerpt(raw) };
}

/** A fault as an event of its turn. */
export function faultEvent(code: FaultCode, message: string, raw?: string): { type: 'fault'; fault: Fault } {
  return { type: 'fault', fault: fault(code, message, raw) };
}

function excerpt(raw: string): string {
  if (raw.length <= EXCERPT_LENGTH) return raw;
  // A slice keeps its parent string alive. `join` over code points makes a new string and cannot cut a surrogate pair.
  return `${[...raw.slice(0, EXCERPT_LENGTH + 1)].slice(0, -1).join('')}…`;
}

/** Messages of a `line-too-long` fault: the line was dropped, or its beginning was kept. */
export const LINE_DROPPED = 'A line of output is longer than the limit; it was dropped.';
export const LINE_CUT = 'A line of output is longer than the limit; the rest of it was dropped.';
