/** How bytes become text. Handed in, because the fast ways to do it belong to the platform. */
export interface TextCodec {
  /** Decodes UTF-8, putting U+FFFD where it is invalid. */
  decode(bytes: Uint8Array): string;
  /** Whether the bytes are valid UTF-8. Asked only about text that holds a U+FFFD. */
  isValid(bytes: Uint8Array): boolean;
}

/** What the splitter reports beside lines. */
export type LineFault = 'line-too-long' | 'invalid-utf8';

/** Where lines go. `onFault` comes before the line it concerns; an over-long line is not delivered at all. */
export interface LineSink {
  onLine(line: string): void;
  onFault(code: LineFault, excerpt: string): void;
}

const LF = 10;
const CR = 13;

/** State of a splitter: the bytes of a line whose end has not come yet. */
export interface Lines {
  readonly codec: TextCodec;
  readonly limit: number;
  pending: Uint8Array[];
  pendingBytes: number;
  /** Inside a line that has passed the limit: bytes are dropped until its end. */
  skipping: boolean;
}

/** A splitter that ends lines at LF only, drops one CR before it, and never holds more than `limit` bytes. */
export function createLines(codec: TextCodec, limit: number): Lines {
  return { codec, limit, pending: [], pendingBytes: 0, skipping: false };
}

/**
 * Takes the next bytes. Everything up to the last LF is decoded in one go, because decoding line by line costs
 * more than all the rest; an LF byte is never part of a longer UTF-8 sequence, so no character is cut. The
 * unfinished rest is kept as a list of chunks, which keeps one very long line linear.
 */
export function pushBytes(lines: Lines, chunk: Uint8Array, sink: LineSink): void {
  let start = 0;
  if (lines.skipping || lines.pendingBytes > 0) {
    const first = chunk.indexOf(LF);
    if (first === -1) return keep(lines, chunk, sink);
    finishPending(lines, chunk.subarray(0, first), sink);
    start = first + 1;
  }
  const last = chunk.lastIndexOf(LF);
  if (last >= start) splitBlock(lines, chunk.subarray(start, last), sink);
  const rest = Math.max(last + 1, start);
  if (rest < chunk.length) keep(lines, chunk.subarray(rest), sink);
}

/** No more bytes will come: an unfinished last line is a line. */
export function endBytes(lines: Lines, sink: LineSink): void {
  if (lines.pendingBytes > 0) finishPending(lines, new Uint8Array(0), sink);
  lines.skipping = false;
}

function keep(lines: Lines, part: Uint8Array, sink: LineSink): void {
  if (lines.skipping) return;
  if (lines.pendingBytes + part.length > lines.limit) {
    const head = lines.pending[0] ?? part;
    sink.onFault('line-too-long', lines.codec.decode(head.subarray(0, 120)));
    lines.pending = [];
    lines.pendingBytes = 0;
    lines.skipping = true;
    return;
  }
  lines.pending.push(part);
  lines.pendingBytes += part.length;
}

function finishPending(lines: Lines, tail: Uint8Array, sink: LineSink): void {
  keep(lines, tail, sink);
  if (lines.skipping) {
    lines.skipping = false;
    return;
  }
  const whole = concatenate(lines.pending, lines.pendingBytes);
  lines.pending = [];
  lines.pendingBytes = 0;
  const text = decodeChecked(lines, whole, sink);
  sink.onLine(withoutCarriageReturn(text));
}

function splitBlock(lines: Lines, block: Uint8Array, sink: LineSink): void {
  const text = decodeChecked(lines, block, sink);
  const mayBeTooLong = block.length > lines.limit;
  for (let from = 0; ; ) {
    const feed = text.indexOf('\n', from);
    const to = feed === -1 ? text.length : feed;
    const line = text.slice(from, to > from && text.charCodeAt(to - 1) === CR ? to - 1 : to);
    // A chunk is far smaller than any sensible limit, so this test is all but never made.
    if (mayBeTooLong && line.length > lines.limit) sink.onFault('line-too-long', line.slice(0, 120));
    else sink.onLine(line);
    if (feed === -1) return;
    from = feed + 1;
  }
}

function decodeChecked(lines: Lines, bytes: Uint8Array, sink: LineSink): string {
  const text = lines.codec.decode(bytes);
  const at = text.indexOf('\uFFFD');
  // The search costs nothing on text that is all Latin-1, and a U+FFFD that was really sent is not a fault.
  if (at !== -1 && !lines.codec.isValid(bytes)) sink.onFault('invalid-utf8', excerptAt(text, at));
  return text;
}

function excerptAt(text: string, at: number): string {
  const [line = ''] = text.slice(at, at + 40).split('\n');
  return line;
}

function withoutCarriageReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

function concatenate(parts: readonly Uint8Array[], length: number): Uint8Array {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
