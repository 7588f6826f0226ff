import { isUtf8 } from 'node:buffer';
import type { Child } from '@plugboard/process';
import { createLines, endBytes, pushBytes } from '@plugboard/protocol';
import type { SeenLine } from './sight.ts';

/** Above `MOST_BYTES`, so that no line is refused here: hosts decide which line is too long. */
const LINE_BYTES = 128 * 1024 * 1024;

/** Far above the output of any case. A process that writes more is stopped: `chunks` keeps all output in memory. */
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_LINES = 50_000;

/** Stdout of a process so far. */
export interface ProcessOutput {
  readonly lines: SeenLine[];
  readonly chunks: Uint8Array[];
  /** Settles at the next chunk, or at `finish`. */
  news(): Promise<void>;
  /** Adds a last line without line feed to `lines`. */
  finish(): void;
}

/** Collects stdout of `child`; `onLine` gets each line at once. */
export function readOutput(
  child: Child,
  startedAt: number,
  onLine: (text: string) => void = () => {},
): ProcessOutput {
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
