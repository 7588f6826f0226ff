import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import {
  createLines,
  type Event,
  endBytes,
  faultEvent,
  type LineFault,
  type Lines,
  pushBytes,
  releaseChunk,
  type TextCodec,
} from '@plugboard/protocol';

/**
 * Bytes that may wait for a slow consumer before the process is made to wait instead: a few reads of a pipe. Half as many
 * cost a tenth of the speed of a flood; with twice as many, what waits outlives so many collections that the heap grows by
 * tens of megabytes.
 */
const BACKLOG_BYTES = 256 * 1024;

/** Who says no more than this leaves its chunks to the collector. */
const SHORT_BYTES = 1024 * 1024;

/** Node's own decoder, which is several times faster than the standard one on short texts. */
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

/** How lines become events, and where those go. */
export interface ReaderSink {
  step(line: string, out: Event[]): void;
  /** Takes the beginning of a line that is too long, if that is of use. */
  stepHead?(head: string, out: Event[]): boolean;
  push(events: Event[]): void;
  /** Whether a byte order mark in front of the output is part of the first line. */
  readonly keepsMark?: boolean;
  /** Sees each chunk before it is read, for recordings. */
  onChunk?(chunk: Uint8Array): void;
}

/** Reads a process's stdout for as long as somebody takes the events. */
export interface Reader {
  /** Everything so far was taken. */
  drained(): void;
  /** Whether the process is made to wait until events are taken. */
  isHeld(): boolean;
  /** No more will come: reads an unfinished last line. */
  finish(): void;
}

/** Starts to read. A consumer that does not keep up makes the process wait: memory stays bounded. */
export function createReader(stdout: Readable, lineBytes: number, sink: ReaderSink): Reader {
  const lines = createLines(codec, lineBytes);
  let out: Event[] = [];
  let backlog = 0;
  let read = 0;
  let headTaken = false;
  const { stepHead } = sink;
  const lineSink = {
    onLine: (line: string) => sink.step(line, out),
    ...(stepHead === undefined
      ? {}
      : {
          onHead: (head: string) => {
            headTaken = stepHead(head, out);
          },
        }),
    onFault: (code: LineFault, excerpt: string) => {
      out.push(faultEvent(code, code === 'line-too-long' && headTaken ? CUT : FAULTS[code], excerpt));
      headTaken = false;
    },
  };
  const flush = (): void => {
    if (out.length === 0) return;
    const events = out;
    out = [];
    sink.push(events);
  };
  stdout.on('data', (chunk: Buffer) => {
    backlog += chunk.length;
    sink.onChunk?.(chunk);
    pushBytes(lines, read === 0 && sink.keepsMark !== true ? withoutMark(chunk) : chunk, lineSink);
    read += chunk.length;
    if (read > SHORT_BYTES) giveBack(lines, chunk);
    if (out.length === 0) backlog = 0;
    else if (backlog > BACKLOG_BYTES) stdout.pause();
    flush();
  });
  return {
    drained() {
      backlog = 0;
      if (stdout.isPaused()) stdout.resume();
    },
    isHeld: () => stdout.isPaused(),
    finish() {
      endBytes(lines, lineSink);
      flush();
    },
  };
}

/** Some programs begin their output with a mark of its encoding, which is no part of the first line. */
function withoutMark(chunk: Buffer): Buffer {
  return chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf ? chunk.subarray(3) : chunk;
}

/**
 * Gives the memory of a chunk back as soon as it was read. The collector sees only a small object for each chunk, and
 * would let them pile up to some sixty megabytes. Chunks that share their buffer with others are left alone.
 */
function giveBack(lines: Lines, chunk: Buffer): void {
  const { buffer, byteLength } = chunk;
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength !== byteLength) return;
  if (releaseChunk(lines, chunk)) buffer.transfer(0);
}

const CUT = 'A line of output is longer than the limit; the rest of it was dropped.';

const FAULTS: Readonly<Record<LineFault, string>> = {
  'line-too-long': 'A line of output is longer than the limit; it was dropped.',
  'invalid-utf8': 'Output is not valid UTF-8; the bytes in question were replaced.',
};
