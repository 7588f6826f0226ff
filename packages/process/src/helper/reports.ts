import { REPORT_BYTES, REPORTS } from './wire.ts';

export interface Report {
  readonly what: number;
  readonly id: number;
  readonly a: number;
  readonly b: number;
  /** What a child has written to stderr; empty with every other report. */
  readonly payload: Buffer;
}

const NOTHING = Buffer.alloc(0);

/** Cuts what a helper says into reports, wherever the chunks were cut. */
export function createReportReader(onReport: (report: Report) => void): (chunk: Buffer) => void {
  let rest: Buffer = NOTHING;
  return (chunk) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    for (let end = endOfReport(bytes, at); end <= bytes.length; end = endOfReport(bytes, at)) {
      onReport(decode(bytes, at, end));
      at = end;
    }
    rest = at === bytes.length ? NOTHING : bytes.subarray(at);
  };
}

/** Beyond the end of the bytes while it is not known or not there. */
function endOfReport(bytes: Buffer, at: number): number {
  const body = at + REPORT_BYTES;
  if (body > bytes.length || bytes.readUInt32LE(at) !== REPORTS.stderr) return body;
  return body + bytes.readInt32LE(at + 8);
}

function decode(bytes: Buffer, at: number, end: number): Report {
  return {
    what: bytes.readUInt32LE(at),
    id: bytes.readUInt32LE(at + 4),
    a: bytes.readInt32LE(at + 8),
    b: bytes.readInt32LE(at + 12),
    payload: end === at + REPORT_BYTES ? NOTHING : bytes.subarray(at + REPORT_BYTES, end),
  };
}
