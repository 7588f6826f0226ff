import type { Readable } from 'node:stream';
import { createLines, endBytes, pushBytes, type TextCodec } from '@plugboard/protocol';

/** The first 4096 characters of a line above `LINE_BYTES`: enough for `detectHalf` to tell the dialect. */
const HEAD_CHARS = 4096;

/** Longest line that is read: 64 MiB. */
const LINE_BYTES = 64 * 1024 * 1024;

const codec: TextCodec = {
  decode: (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'),
  // Called only for input with U+FFFD in it. A static import of `node:buffer` would slow every start.
  isValid: (bytes) => process.getBuiltinModule('node:buffer').isUtf8(bytes),
};

/** A line of stdin. `truncated` marks the first `HEAD_CHARS` of a line above `LINE_BYTES`. */
export interface InputLine {
  readonly text: string;
  readonly truncated?: true;
}

/** Yields the lines of stdin. Only LF ends a line: U+2028 may stand inside a JSON string. */
export async function* readLines(stream: Readable): AsyncGenerator<InputLine, undefined> {
  const lines = createLines(codec, LINE_BYTES);
  let found: InputLine[] = [];
  let begun = false;
  const sink = {
    onLine(line: string) {
      found.push({ text: begun ? line : withoutMark(line) });
      begun = true;
    },
    onHead: (text: string) => void found.push({ text: text.slice(0, HEAD_CHARS), truncated: true }),
    onFault: () => {},
  };
  try {
    for await (const bytes of stream) {
      pushBytes(lines, bytes as Uint8Array, sink);
      const ready = found;
      found = [];
      yield* ready;
    }
  } catch {
    // A read error, or `process.stdin.destroy()` in `watchSignals`, counts as the end of input.
  }
  endBytes(lines, sink);
  yield* found;
  return undefined;
}

/** Removes a byte order mark before JSON. Plain text keeps it; `readMessages` removes it from piped text. */
function withoutMark(line: string): string {
  return /^\uFEFF\s*(\{|$)/.test(line) ? line.slice(1) : line;
}
