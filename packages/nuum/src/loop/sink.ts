import type { Call, CallResult } from '../model/ask.ts';

/** Who hears what happens in a turn. A promise settles when more can be taken. */
export interface Sink {
  delta(kind: 'output' | 'thinking', text: string): void;
  /** The deltas since the last message belong to an answer that broke off: they are no part of the next message. */
  restart(): void;
  /** One complete message; the deltas since the last one were a preview of it. */
  message(text: string): Promise<void>;
  /** A tool is about to run. */
  call(call: Call): Promise<void>;
  result(result: CallResult): Promise<void>;
  /** A status line that is not part of the answer. */
  progress(text: string): Promise<void>;
  /** For the operator. */
  log(text: string): void;
}

/** For work that nobody watches. */
export const SILENT_SINK: Sink = {
  delta: () => {},
  restart: () => {},
  message: () => Promise.resolve(),
  call: () => Promise.resolve(),
  result: () => Promise.resolve(),
  progress: () => Promise.resolve(),
  log: () => {},
};
