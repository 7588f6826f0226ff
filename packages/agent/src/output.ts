import type { Writable } from 'node:stream';

/** Writes to stdout with back-pressure. */
export interface Output {
  /** Settles when the stream is below its high-water mark. The text `''` is not written. */
  write(text: string): Promise<void>;
  /** Settles when the last `write` was confirmed, or the reader has closed the pipe. */
  flushed(): Promise<void>;
}

const READY = Promise.resolve();

/**
 * `process.exit` before the last write is confirmed would cut a long reply of a slow reader. After a write error
 * `onGone` is called and later writes are dropped. The error is EPIPE when the reader has closed the pipe.
 */
export function createOutput(
  stream: Writable,
  onGone: (error: NodeJS.ErrnoException) => void = () => {},
): Output {
  const write = stream.write.bind(stream);
  let gone = false;
  let last: Promise<void> = READY;
  stream.on('error', (error) => {
    gone = true;
    onGone(error);
  });
  return {
    write(text) {
      if (text === '' || gone) return READY;
      let more = true;
      last = new Promise((resolve) => {
        more = write(text, 'utf8', () => resolve());
      });
      return more ? READY : last;
    },
    flushed: () => (gone ? READY : last),
  };
}

/** Sends prints of the program to stderr, so that stdout holds frames alone. Returns a function that restores `stdout.write`. */
export function guardStdout(stdout: Writable, stderr: () => Writable): () => void {
  const original = stdout.write;
  // Lazy, because the first access to `process.stderr` creates the stream.
  const divert = (...args: Parameters<typeof stdout.write>): boolean => stderr().write(...args);
  stdout.write = divert as typeof stdout.write;
  return () => {
    stdout.write = original;
  };
}

/**
 * Does the same for `console` of Bun and Deno, which write to descriptor 1 directly. In Node, `console` calls
 * `process.stdout.write`.
 */
export function guardConsole(stderr: () => Writable): void {
  if (!('Bun' in globalThis) && !('Deno' in globalThis)) return;
  const { Console } = process.getBuiltinModule('node:console');
  Object.assign(console, new Console({ stdout: stderr(), stderr: stderr() }));
}
