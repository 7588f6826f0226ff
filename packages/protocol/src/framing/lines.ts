/** Converts bytes to text. It is a parameter because the fast decoders belong to the platform (`Buffer`). */
export interface TextCodec {
  /** Decodes UTF-8, putting U+FFFD where it is invalid. */
  decode(bytes: Uint8Array): string;
  /** Whether the bytes are valid UTF-8. Asked only about text that holds a U+FFFD. */
  isValid(bytes: Uint8Array): boolean;
}

/** Faults that the splitter reports through `onFault`. */
export type LineFault = 'line-too-long' | 'invalid-utf8';

/**
 * Where lines go. `onFault` comes before the line it concerns; of an over-long line there is at most a head, before
 * that.
 */
export interface LineSink {
  onLine(line: string): void;
  /** The first `limit` bytes of an over-long line, for sinks that can use them. */
  onHead?(head: string): void;
  onFault(code: LineFault, excerpt: string): void;
}

const LF = 10;
const CR = 13;

/**
 * Pieces that are joined into one block: each piece costs about 100 bytes of overhead, and a line may arrive byte by
 * byte.
 */
const PIECES_TOGETHER = 1024;

/** State of a splitter: the bytes of a line whose end has not come yet. */
export interface Lines {
  readonly codec: TextCodec;
  readonly limit: number;
  /** Many pieces each, already put together. */
  blocks: Uint8Array[];
  pending: Uint8Array[];
  pendingBytes: number;
  /** Inside a line that has exceeded `limit`: bytes are dropped until its LF. */
  skipping: boolean;
}

/**
 * A splitter that ends lines at LF only, drops one CR before it, and takes lines of up to `limit` bytes before the LF.
 */
export function createLines(codec: TextCodec, limit: number): Lines {
  return { codec, limit, blocks: [], pending: [], pendingBytes: 0, skipping: false };
}

/**
 * Takes the next bytes. All complete lines are decoded in one call, because decoding line by line is slower than the
 * rest of the splitter. An LF byte is never part of a longer UTF-8 sequence, so no character is cut. The unfinished
 * rest is kept as a list of pieces, so that a very long line costs linear time.
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

/** The stream has ended: an unfinished last line counts as a line. */
export function endBytes(lines: Lines, sink: LineSink): void {
  if (lines.pendingBytes > 0) finishPending(lines, new Uint8Array(0), sink);
  lines.skipping = false;
}

/**
 * `releaseChunk` copies a shorter rest. A longer rest keeps the chunk alive, because the copy would cost more than the
 * memory is worth.
 */
const TAIL_BYTES = 16 * 1024;

/**
 * Copies the unfinished rest out of a chunk, so that its memory can be freed. Returns false when the rest is longer
 * than `TAIL_BYTES`.
 */
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

/** The first `limit` bytes, cut before a character that would cross the limit. */
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
  // Rare: a chunk is far smaller than a usable `limit`.
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

/** A line in the block may exceed `limit`, which counts bytes, so each line is taken separately. */
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
  // `indexOf` is cheap on Latin-1 text. A U+FFFD that the agent really sent is valid UTF-8 and no fault.
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
