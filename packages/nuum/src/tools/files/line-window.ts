import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';

const CHUNK = 64 * 1024;
const LF = 10;

export interface WindowOptions {
  /** Lines before the first one. */
  readonly skip: number;
  readonly lines: number;
  /** Characters per line. */
  readonly width: number;
  /** Characters of all lines. */
  readonly size: number;
  readonly signal: AbortSignal;
}

/** Lines of a file. */
export interface Window {
  readonly lines: readonly string[];
  /** Whether lines follow the last one. */
  readonly more: boolean;
  /** The number of lines up to the end of reading: all lines of the file unless `more`. */
  readonly counted: number;
  /** The hash of the whole file, when it was read to its end. */
  readonly hash?: string;
}

interface State {
  readonly options: WindowOptions;
  readonly lines: string[];
  size: number;
  counted: number;
  /** The beginning of an unfinished line, up to the bytes that can be shown. */
  pending: Buffer[];
  pendingBytes: number;
  lineBytes: number;
  full: boolean;
}

/**
 * Reads lines from the start of a file in chunks until a limit is reached. Only shown text is held, so that neither a
 * huge file nor a huge line takes more memory than a chunk.
 */
export async function readWindow(handle: FileHandle, options: WindowOptions): Promise<Window> {
  const state: State = {
    options,
    lines: [],
    size: 0,
    counted: 0,
    pending: [],
    pendingBytes: 0,
    lineBytes: 0,
    full: false,
  };
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(CHUNK);
  for (let position = 0; ; ) {
    options.signal.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, CHUNK, position);
    if (bytesRead === 0) break;
    const chunk = buffer.subarray(0, bytesRead);
    hash.update(chunk);
    addChunk(state, chunk);
    if (state.full) return { lines: state.lines, more: true, counted: state.counted };
    position += bytesRead;
  }
  if (state.lineBytes > 0) finishLine(state);
  const ended = { lines: state.lines, more: state.full, counted: state.counted };
  return state.full ? ended : { ...ended, hash: hash.digest('hex') };
}

function addChunk(state: State, chunk: Buffer): void {
  let from = 0;
  while (from < chunk.length && !state.full) {
    const feed = chunk.indexOf(LF, from);
    const to = feed < 0 ? chunk.length : feed;
    addToLine(state, chunk.subarray(from, to));
    if (feed < 0) return;
    finishLine(state);
    from = feed + 1;
  }
}

function addToLine(state: State, part: Buffer): void {
  state.lineBytes += part.length;
  if (state.counted < state.options.skip) return;
  const room = state.options.width * 4 - state.pendingBytes;
  if (room <= 0 || part.length === 0) return;
  // A copy, since the chunk's buffer is reused.
  const kept = Buffer.from(part.subarray(0, room));
  state.pending.push(kept);
  state.pendingBytes += kept.length;
}

function finishLine(state: State): void {
  const { options } = state;
  const isShown = state.counted >= options.skip;
  const line = isShown ? lineOf(state) : '';
  state.pending = [];
  state.pendingBytes = 0;
  state.lineBytes = 0;
  if (!isShown) {
    state.counted += 1;
    return;
  }
  const isTooMuch = state.size + line.length > options.size && state.lines.length > 0;
  if (state.lines.length >= options.lines || isTooMuch) {
    state.full = true;
    return;
  }
  state.lines.push(line);
  state.size += line.length + 1;
  state.counted += 1;
}

function lineOf(state: State): string {
  const { width } = state.options;
  const text = Buffer.concat(state.pending).toString('utf8');
  const whole = state.pendingBytes === state.lineBytes;
  const start = state.counted === 0 && text.startsWith('\uFEFF') ? 1 : 0;
  const line = text.slice(start, text.endsWith('\r') ? -1 : undefined);
  if (whole && line.length <= width) return line;
  return `${line.slice(0, width).toWellFormed()}… (the line goes on; ${state.lineBytes} bytes in all)`;
}
