/** What can be wrong with something that came over the wire. A fault is data: it is reported, never thrown. */
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

/** Something on the wire that was malformed, with enough of it to recognise it by. */
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
  // A slice keeps its parent string alive; a join of code points does not, and cannot cut a pair in two.
  return `${[...raw.slice(0, EXCERPT_LENGTH + 1)].slice(0, -1).join('')}…`;
}
