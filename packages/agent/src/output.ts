import type { Writable } from 'node:stream';

/** Writes to the host, and knows when everything has arrived. */
export interface Output {
  /** Settles when the host can take more. Empty text is not written. */
  write(text: string): Promise<void>;
  /** Settles when every byte so far has left this process, or the host has gone away. */
  flushed(): Promise<void>;
}

const READY = Promise.resolve();

/**
 * Writes to a stream that the reader may read as slowly as it likes: exiting before the last write is confirmed would
 * cut a long reply. A reader that has gone away is not an error; there is nobody to tell, and nothing left to do.
 */
export function createOutput(stream: Writable, onGone: () => void = () => {}): Output {
  const write = stream.write.bind(stream);
  let gone = false;
  let last: Promise<void> = READY;
  stream.on('error', () => {
    gone = true;
    onGone();
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

/** Sends whatever the program prints for itself to stderr: stdout belongs to the protocol. Returns the way back. */
export function guardStdout(stdout: Writable, stderr: () => Writable): () => void {
  const original = stdout.write;
  // Asked for when it is needed: Node makes the stream on the first look at it.
  const divert = (...args: Parameters<typeof stdout.write>): boolean => stderr().write(...args);
  stdout.write = divert as typeof stdout.write;
  return () => {
    stdout.write = original;
  };
}

/**
 * The same for `console` of Bun and Deno, which write to the descriptor of stdout themselves. In Node it writes to
 * `process.stdout`.
 */
export function guardConsole(stderr: () => Writable): void {
  if (!('Bun' in globalThis) && !('Deno' in globalThis)) return;
  const { Console } = process.getBuiltinModule('node:console');
  Object.assign(console, new Console({ stdout: stderr(), stderr: stderr() }));
}
