import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';

const CHUNK = 64 * 1024;
const LF = 10;

/** What part of a file is wanted, and how much of it at most. */
export interface WindowOptions {
  /** Lines to leave out before the first one. */
  readonly skip: number;
  readonly lines: number;
  /** Characters of one line. */
  readonly width: number;
  /** Characters in all. */
  readonly size: number;
  readonly signal: AbortSignal;
}

/** Some lines of a file. */
export interface Window {
  readonly lines: readonly string[];
  /** Whether there is more behind the last of them. */
  readonly more: boolean;
  /** Lines there are up to where the reading stopped: all of them unless there is more. */
  readonly counted: number;
  /** Of the whole file, when it was read to its end. */
  readonly hash?: string;
}

interface State {
  readonly options: WindowOptions;
  readonly lines: string[];
  size: number;
  counted: number;
  /** The beginning of a line whose end has not come yet, no longer than will be shown. */
  pending: Buffer[];
  pendingBytes: number;
  /** Bytes of that line, shown or not. */
  lineBytes: number;
  full: boolean;
}

/**
 * Reads lines from the beginning of a file in chunks and stops when it has enough. Only what is shown is held: neither
 * a file of many gigabytes nor a single line of that length costs more than a chunk.
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
    take(state, chunk);
    if (state.full) return { lines: state.lines, more: true, counted: state.counted };
    position += bytesRead;
  }
  if (state.lineBytes > 0) finishLine(state);
  const ended = { lines: state.lines, more: state.full, counted: state.counted };
  return state.full ? ended : { ...ended, hash: hash.digest('hex') };
}

function take(state: State, chunk: Buffer): void {
  let from = 0;
  while (from < chunk.length && !state.full) {
    const feed = chunk.indexOf(LF, from);
    const to = feed < 0 ? chunk.length : feed;
    hold(state, chunk.subarray(from, to));
    if (feed < 0) return;
    finishLine(state);
    from = feed + 1;
  }
}

function hold(state: State, part: Buffer): void {
  state.lineBytes += part.length;
  if (state.counted < state.options.skip) return;
  const room = state.options.width * 4 - state.pendingBytes;
  if (room <= 0 || part.length === 0) return;
  // Copied: the chunk it is part of is used again.
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
