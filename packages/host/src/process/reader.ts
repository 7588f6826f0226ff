import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import {
  createLines,
  endBytes,
  type LineFault,
  type Lines,
  pushBytes,
  releaseChunk,
  type TextCodec,
} from '@plugboard/protocol';

/**
 * Bytes that may wait for a slow consumer before the process is paused: a few pipe reads. Half as much costs 10 % of
 * the throughput of a flood. Twice as much lets waiting events survive several garbage collections, and the heap grows
 * by tens of MiB.
 */
const BACKLOG_BYTES = 256 * 1024;

/** Up to this size the chunks of a process are left to the garbage collector. */
const SHORT_BYTES = 1024 * 1024;

/** Node's `utf8Slice`, which is several times faster than `TextDecoder` on short texts. */
export const codec: TextCodec = {
  decode: (bytes) => asBuffer(bytes).utf8Slice(0, bytes.length),
  isValid: (bytes) => isUtf8(bytes),
};

interface SlicingBuffer extends Buffer {
  utf8Slice(start: number, end: number): string;
}

function asBuffer(bytes: Uint8Array): SlicingBuffer {
  if (Buffer.isBuffer(bytes)) return bytes as SlicingBuffer;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) as SlicingBuffer;
}

/** Where the lines of stdout go. */
export interface ReaderSink {
  onLine(line: string): void;
  /** The beginning of a line that exceeds `lineBytes`. The rest is dropped. */
  onLongLine(head: string): void;
  /** Bytes that are not UTF-8 were replaced in the line that follows. */
  onInvalidText(excerpt: string): void;
  /** All bytes so far were read. Returns whether that made events, which a consumer must take. */
  onRead(): boolean;
  /** Whether a byte order mark in front of the output is part of the first line. */
  readonly keepsMark: boolean;
  /** Sees each chunk before it is read, for recordings. */
  onChunk(chunk: Uint8Array): void;
}

/** Reads a process's stdout as long as its events are taken. */
export interface Reader {
  /** All events so far were taken. */
  drained(): void;
  /** Whether back-pressure has paused `stdout`, which makes the process wait. */
  isHeld(): boolean;
  /** No more will come: reads an unfinished last line. */
  finish(): void;
}

/** Starts to read. A slow consumer pauses stdout at `BACKLOG_BYTES`, which bounds the memory. */
export function createReader(stdout: Readable, lineBytes: number, sink: ReaderSink): Reader {
  const lines = createLines(codec, lineBytes);
  let backlog = 0;
  let read = 0;
  const lineSink = {
    onLine: sink.onLine,
    onHead: sink.onLongLine,
    onFault(code: LineFault, excerpt: string) {
      if (code === 'invalid-utf8') sink.onInvalidText(excerpt);
    },
  };
  stdout.on('data', (chunk: Buffer) => {
    backlog += chunk.length;
    sink.onChunk(chunk);
    pushBytes(lines, read === 0 && !sink.keepsMark ? withoutMark(chunk) : chunk, lineSink);
    read += chunk.length;
    if (read > SHORT_BYTES) giveBack(lines, chunk);
    if (backlog > BACKLOG_BYTES) stdout.pause();
    // After `pause`: a consumer that takes the events at once resumes the stream.
    if (!sink.onRead()) resume();
  });
  const resume = (): void => {
    backlog = 0;
    if (stdout.isPaused()) stdout.resume();
  };
  return {
    drained: resume,
    isHeld: () => stdout.isPaused(),
    finish() {
      endBytes(lines, lineSink);
      sink.onRead();
    },
  };
}

/** Removes a UTF-8 byte order mark, which some programs write in front of the first line. */
function withoutMark(chunk: Buffer): Buffer {
  return chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf ? chunk.subarray(3) : chunk;
}

/**
 * Frees the memory of a chunk right after reading with `transfer(0)`. The garbage collector sees only a small object
 * per chunk, and would let about 60 MiB pile up. A chunk that shares its `ArrayBuffer` is left alone.
 */
function giveBack(lines: Lines, chunk: Buffer): void {
  const { buffer, byteLength } = chunk;
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength !== byteLength) return;
  if (releaseChunk(lines, chunk)) buffer.transfer(0);
}
