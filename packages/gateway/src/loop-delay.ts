import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Logger } from './log.ts';

/** How long the event loop was held up: while it is, nobody is answered. */
export interface LoopDelay {
  /** Seconds, over the last interval that is complete. */
  readonly seconds: { readonly median: number; readonly p99: number; readonly most: number };
  close(): void;
}

const INTERVAL_MS = 10_000;

/** A delay that people notice; one longer than this is logged. */
const NOTABLE_MS = 250;

/** The histogram measures the time between its own timer's calls, which includes its resolution. */
const RESOLUTION_MS = 10;

/** Measures the delay of the event loop, and logs when something held it up for longer than 250 ms. */
export function watchLoopDelay(log: Logger, intervalMs = INTERVAL_MS): LoopDelay {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  let seconds = { median: 0, p99: 0, most: 0 };
  const timer = setInterval(() => {
    const delayOf = (ns: number): number => Math.max(0, ns / 1e9 - RESOLUTION_MS / 1e3);
    seconds = {
      median: delayOf(histogram.percentile(50)),
      p99: delayOf(histogram.percentile(99)),
      most: delayOf(histogram.max),
    };
    histogram.reset();
    const mostMs = Math.round(seconds.most * 1_000);
    if (mostMs > NOTABLE_MS)
      log.warn(`The event loop was held up for ${mostMs} ms.`, { code: 'event-loop-delay', ms: mostMs });
  }, intervalMs).unref();
  return {
    get seconds() {
      return seconds;
    },
    close() {
      clearInterval(timer);
      histogram.disable();
    },
  };
}
