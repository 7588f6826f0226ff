import type { Readable } from 'node:stream';
import { createLines, endBytes, pushBytes, type TextCodec } from '@plugboard/protocol';

/** Longest request that is read. */
const LINE_BYTES = 64 * 1024 * 1024;

const codec: TextCodec = {
  decode: (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'),
  // Asked only about input that looks broken; an import would be paid for at every start.
  isValid: (bytes) => process.getBuiltinModule('node:buffer').isUtf8(bytes),
};

/** The host's lines as they come, ended by LF alone; a line too long to be read comes as `onTooLong`. */
export async function* readLines(stream: Readable, onTooLong: () => void): AsyncGenerator<string, undefined> {
  const lines = createLines(codec, LINE_BYTES);
  let found: string[] = [];
  const sink = {
    onLine: (line: string) => void found.push(line),
    onFault: (code: string) => {
      if (code === 'line-too-long') onTooLong();
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
