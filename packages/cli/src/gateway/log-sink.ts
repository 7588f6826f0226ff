import type { Writable } from 'node:stream';

/** What may wait for a reader that is slow; a reader that has stopped must cost neither memory nor turns. */
const MOST_WAITING_BYTES = 1024 * 1024;

/** Writes lines for as long as somebody takes them; says how many were left out when somebody does again. */
export function createLogSink(output: Writable): (line: string) => void {
  let left = 0;
  // A reader that has gone, or a disk that is full: there is nobody to tell.
  output.on('error', () => {});
  return (line) => {
    if (output.writableLength > MOST_WAITING_BYTES || output.destroyed) {
      left += 1;
      return;
    }
    if (left > 0) output.write(`(${left} lines were left out here.)\n`);
    left = 0;
    output.write(line);
  };
}
