import { REPORT_BYTES, REPORTS } from './wire.ts';

export interface Report {
  readonly kind: number;
  readonly id: number;
  readonly a: number;
  readonly b: number;
  /** A chunk of a child's stderr; empty unless `kind` is `REPORTS.stderr`. */
  readonly payload: Buffer;
}

const NOTHING = Buffer.alloc(0);

/** Splits the byte stream of a helper into reports; chunks may end inside a report. */
export function createReportReader(onReport: (report: Report) => void): (chunk: Buffer) => void {
  let rest: Buffer = NOTHING;
  return (chunk) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    for (let end = findReportEnd(bytes, at); end <= bytes.length; end = findReportEnd(bytes, at)) {
      onReport(decodeReport(bytes, at, end));
      at = end;
    }
    rest = at === bytes.length ? NOTHING : bytes.subarray(at);
  };
}

/** Returns an offset past `bytes.length` when the report is incomplete. */
function findReportEnd(bytes: Buffer, at: number): number {
  const body = at + REPORT_BYTES;
  if (body > bytes.length || bytes.readUInt32LE(at) !== REPORTS.stderr) return body;
  return body + bytes.readInt32LE(at + 8);
}

function decodeReport(bytes: Buffer, at: number, end: number): Report {
  return {
    kind: bytes.readUInt32LE(at),
    id: bytes.readUInt32LE(at + 4),
    a: bytes.readInt32LE(at + 8),
    b: bytes.readInt32LE(at + 12),
    payload: end === at + REPORT_BYTES ? NOTHING : bytes.subarray(at + REPORT_BYTES, end),
  };
}
