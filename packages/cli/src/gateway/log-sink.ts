import type { Writable } from 'node:stream';

/** Limit of the unwritten log, 1 MiB: a reader that has stopped must cost neither memory nor turns. */
const MOST_WAITING_BYTES = 1024 * 1024;

/** Returns a writer that drops lines while `output` is full, and reports their number when it drains. */
export function createLogSink(output: Writable): (line: string) => void {
  let left = 0;
  // EPIPE or a full disk: there is no other place to report it to.
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
