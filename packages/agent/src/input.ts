import type { Readable } from 'node:stream';
import { createLines, endBytes, pushBytes, type TextCodec } from '@plugboard/protocol';

/** As much of a line that is too long as tells which host it comes from. */
const HEAD_CHARS = 4096;

/** Longest request that is read. */
const LINE_BYTES = 64 * 1024 * 1024;

const codec: TextCodec = {
  decode: (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'),
  // Asked only about input that looks broken; an import would be paid for at every start.
  isValid: (bytes) => process.getBuiltinModule('node:buffer').isUtf8(bytes),
};

/** The host's lines as they come, ended by LF alone; of a line too long to be read, `onTooLong` gets the beginning. */
export async function* readLines(
  stream: Readable,
  onTooLong: (head: string) => void,
): AsyncGenerator<string, undefined> {
  const lines = createLines(codec, LINE_BYTES);
  let found: string[] = [];
  let head = '';
  let begun = false;
  const sink = {
    onLine(line: string) {
      found.push(begun ? line : withoutMark(line));
      begun = true;
    },
    onHead: (text: string) => {
      head = text.slice(0, HEAD_CHARS);
    },
    onFault: (code: string) => {
      if (code === 'line-too-long') onTooLong(head);
    },
  };
  try {
    for await (const bytes of stream) {
      pushBytes(lines, bytes as Uint8Array, sink);
      const ready = found;
      found = [];
      yield* ready;
    }
  } catch {
    // Input that breaks off, or that this process has closed itself, has ended.
  }
  endBytes(lines, sink);
  yield* found;
  return undefined;
}

/** A byte order mark in front of JSON is none of it; in front of a text, that decides. */
function withoutMark(line: string): string {
  return /^\uFEFF\s*(\{|$)/.test(line) ? line.slice(1) : line;
}
