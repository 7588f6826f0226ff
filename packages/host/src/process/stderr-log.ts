import { createLines, type Event, endBytes, pushBytes } from '@plugboard/protocol';
import { codec } from './reader.ts';

const LINE_BYTES = 16 * 1024;

/** Lines that may wait for a consumer. Further lines are only counted; the tail of stderr is in `Exit.stderr`. */
const WAITING_LINES = 1_000;

/** Turns stderr of a process into `log` events. */
export interface StderrLog {
  onChunk(chunk: Uint8Array): void;
  /** All events so far were taken. */
  drained(): void;
  finish(): void;
}

/** Never slows the process down: lines beyond `WAITING_LINES` are dropped, and their number is logged. */
export function createStderrLog(push: (events: Event[]) => void): StderrLog {
  const lines = createLines(codec, LINE_BYTES);
  let out: Event[] = [];
  let waiting = 0;
  let dropped = 0;
  const sink = {
    onLine(text: string) {
      if (waiting >= WAITING_LINES) dropped++;
      else {
        waiting++;
        out.push({ type: 'log', level: 'info', text, source: 'stderr' });
      }
    },
    onHead: (head: string) => sink.onLine(`${head}…`),
    // Invalid UTF-8 shows as U+FFFD in the line itself.
    onFault() {},
  };
  const flush = (): void => {
    if (out.length === 0) return;
    const events = out;
    out = [];
    push(events);
  };
  const tellDropped = (): void => {
    if (dropped === 0) return;
    out.push({
      type: 'log',
      level: 'warning',
      text: `${dropped} lines of stderr were dropped.`,
      source: 'host',
    });
    dropped = 0;
  };
  return {
    onChunk(chunk) {
      pushBytes(lines, chunk, sink);
      flush();
    },
    drained() {
      waiting = 0;
      tellDropped();
      flush();
    },
    finish() {
      endBytes(lines, sink);
      tellDropped();
      flush();
    },
  };
}
