import type { Call, CallResult } from '@plugboard/llm';

/** Receives the events of a turn. A promise that is not settled is back-pressure. */
export interface Sink {
  delta(kind: 'output' | 'thinking', text: string): void;
  /** The deltas since the last message belong to an answer that broke off: they are no part of the next message. */
  restart(): void;
  /** A complete message. The deltas since the last one were a preview of it. */
  message(text: string): Promise<void>;
  /** Called before the tool runs. */
  call(call: Call): Promise<void>;
  result(result: CallResult): Promise<void>;
  /** A status line that is not part of the answer. */
  progress(text: string): Promise<void>;
  log(text: string): void;
}

/** For background tasks. */
export const SILENT_SINK: Sink = {
  delta: () => {},
  restart: () => {},
  message: () => Promise.resolve(),
  call: () => Promise.resolve(),
  result: () => Promise.resolve(),
  progress: () => Promise.resolve(),
  log: () => {},
};
