/** How bytes become text. Handed in, because the fast ways to do it belong to the platform. */
export interface TextCodec {
  /** Decodes UTF-8, putting U+FFFD where it is invalid. */
  decode(bytes: Uint8Array): string;
  /** Whether the bytes are valid UTF-8. Asked only about text that holds a U+FFFD. */
  isValid(bytes: Uint8Array): boolean;
}

/** What the splitter reports beside lines. */
export type LineFault = 'line-too-long' | 'invalid-utf8';

/** Where lines go. `onFault` comes before the line it concerns; of an over-long line there is at most a head, before that. */
export interface LineSink {
  onLine(line: string): void;
  /** The beginning of an over-long line, as much as the limit allows, for those who have a use for it. */
  onHead?(head: string): void;
  onFault(code: LineFault, excerpt: string): void;
}

const LF = 10;
const CR = 13;

/** So many pieces are put together: each takes up a hundred bytes by itself, and a line may come byte by byte. */
const PIECES_TOGETHER = 1024;

/** State of a splitter: the bytes of a line whose end has not come yet. */
export interface Lines {
  readonly codec: TextCodec;
  readonly limit: number;
  /** Many pieces each, already put together. */
  blocks: Uint8Array[];
  pending: Uint8Array[];
  pendingBytes: number;
  /** Inside a line that has passed the limit: bytes are dropped until its end. */
  skipping: boolean;
}

/** A splitter that ends lines at LF only, drops one CR before it, and takes lines of up to `limit` bytes before the LF. */
export function createLines(codec: TextCodec, limit: number): Lines {
  return { codec, limit, blocks: [], pending: [], pendingBytes: 0, skipping: false };
}

/**
 * Takes the next bytes. Everything up to the last LF is decoded in one go, because decoding line by line costs
 * more than all the rest; an LF byte is never part of a longer UTF-8 sequence, so no character is cut. The
 * unfinished rest is kept as a list of pieces, which keeps one very long line linear.
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

/** An unfinished line longer than this keeps its chunk; to copy it out would cost more than the chunk is worth. */
const TAIL_BYTES = 16 * 1024;

/** Copies what is left of a chunk, so that its memory can be given back. False when that is too much. */
export function releaseChunk({ pending }: Lines, { buffer }: Uint8Array): boolean {
  const last = pending.length - 1;
  const tail = pending[last];
  if (tail === undefined || tail.buffer !== buffer) return true;
  if (tail.length > TAIL_BYTES) return false;
  pending[last] = new Uint8Array(tail);
  return true;
}

function keep(lines: Lines, part: Uint8Array, sink: LineSink): void {
  if (lines.skipping) return;
  if (lines.pendingBytes + part.length > lines.limit) {
    const first = lines.blocks[0] ?? lines.pending[0] ?? part;
    sink.onHead?.(headOf(lines, part));
    sink.onFault('line-too-long', lines.codec.decode(first.subarray(0, 120)));
    forget(lines);
    lines.skipping = true;
    return;
  }
  lines.pending.push(part);
  lines.pendingBytes += part.length;
  if (lines.pending.length === PIECES_TOGETHER) putTogether(lines);
}

/** Not a byte beyond the limit, and no character in part. */
function headOf(lines: Lines, part: Uint8Array): string {
  const bytes = concatenate([...lines.blocks, ...lines.pending, part], lines.pendingBytes + part.length);
  let end = lines.limit;
  while (end > 0 && isContinuation(bytes[end])) end -= 1;
  return lines.codec.decode(bytes.subarray(0, end));
}

function isContinuation(byte = 0): boolean {
  return (byte & 0xc0) === 0x80;
}

function putTogether(lines: Lines): void {
  const bytes = lines.pending.reduce((sum, { length }) => sum + length, 0);
  lines.blocks.push(concatenate(lines.pending, bytes));
  lines.pending = [];
}

function forget(lines: Lines): void {
  lines.blocks = [];
  lines.pending = [];
  lines.pendingBytes = 0;
}

function finishPending(lines: Lines, tail: Uint8Array, sink: LineSink): void {
  keep(lines, tail, sink);
  if (lines.skipping) {
    lines.skipping = false;
    return;
  }
  const parts = lines.blocks.length === 0 ? lines.pending : [...lines.blocks, ...lines.pending];
  const whole = concatenate(parts, lines.pendingBytes);
  forget(lines);
  const text = decodeChecked(lines, whole, sink);
  sink.onLine(withoutCarriageReturn(text));
}

function splitBlock(lines: Lines, block: Uint8Array, sink: LineSink): void {
  // A chunk is far smaller than any sensible limit, so this is all but never so.
  if (block.length > lines.limit) return splitLargeBlock(lines, block, sink);
  const text = decodeChecked(lines, block, sink);
  for (let from = 0; ; ) {
    const feed = text.indexOf('\n', from);
    const to = feed === -1 ? text.length : feed;
    sink.onLine(text.slice(from, to > from && text.charCodeAt(to - 1) === CR ? to - 1 : to));
    if (feed === -1) return;
    from = feed + 1;
  }
}

/** A line in it may pass the limit, which counts bytes: each is taken as if it had come by itself. */
function splitLargeBlock(lines: Lines, block: Uint8Array, sink: LineSink): void {
  for (let from = 0; ; ) {
    const feed = block.indexOf(LF, from);
    finishPending(lines, block.subarray(from, feed === -1 ? block.length : feed), sink);
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
