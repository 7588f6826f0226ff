import { isUtf8 } from 'node:buffer';
import type { Child } from '@plugboard/process';
import { createLines, endBytes, pushBytes } from '@plugboard/protocol';
import type { SeenLine } from './sight.ts';

/** Above `MOST_BYTES`: whether a line is too long is for a host to say. */
const LINE_BYTES = 128 * 1024 * 1024;

/** Far more than any case asks for. A process that floods us is stopped, or we would watch it until memory ends. */
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_LINES = 50_000;

/** What a process has written so far. */
export interface Watch {
  readonly lines: SeenLine[];
  readonly chunks: Uint8Array[];
  /** Settles when something comes, or when nothing more will. */
  news(): Promise<void>;
  /** An unfinished last line is a line. */
  finish(): void;
}

/** Reads the stdout of a process as it comes; `onLine` gets each line. */
export function watch(child: Child, startedAt: number, onLine: (text: string) => void = () => {}): Watch {
  const splitter = createLines(
    { decode: (bytes) => Buffer.from(bytes).toString('utf8'), isValid: (bytes) => isUtf8(bytes) },
    LINE_BYTES,
  );
  const lines: SeenLine[] = [];
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let wake = Promise.withResolvers<void>();
  const sink = {
    onLine(text: string) {
      lines.push({ text, at: performance.now() - startedAt });
      onLine(text);
    },
    onFault: () => {},
  };
  const announce = (): void => {
    wake.resolve();
    wake = Promise.withResolvers<void>();
  };
  child.stdout?.on('data', (chunk: Uint8Array) => {
    if (bytes > MOST_BYTES || lines.length > MOST_LINES) return child.stop('limit', { graceMs: 0 });
    bytes += chunk.length;
    chunks.push(chunk);
    pushBytes(splitter, chunk, sink);
    announce();
  });
  return {
    lines,
    chunks,
    news: () => wake.promise,
    finish() {
      endBytes(splitter, sink);
      announce();
    },
  };
}
