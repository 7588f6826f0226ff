import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Logger } from './log.ts';

/** Delay of the event loop, which delays every request. */
export interface LoopDelay {
  /** Seconds, over the last complete interval of `INTERVAL_MS`. */
  readonly seconds: { readonly median: number; readonly p99: number; readonly most: number };
  close(): void;
}

type Histogram = ReturnType<typeof monitorEventLoopDelay>;

const INTERVAL_MS = 10_000;

/** A noticeable delay; a longer one is logged. */
const NOTABLE_MS = 250;

/** The histogram measures the time between its own timer's calls, which includes its resolution. */
const RESOLUTION_MS = 10;

/** Time in which two histograms run: the newer one has its second tick by then. */
const OVERLAP_MS = 3 * RESOLUTION_MS;

/**
 * Measures the delay of the event loop, and logs when something held it up for longer than 250 ms. `reset` of a histogram
 * drops the delay that is under way, and a new histogram has no sample before its second tick: so each interval has a
 * histogram of its own, and two overlap.
 */
export function watchLoopDelay(log: Logger, intervalMs = INTERVAL_MS): LoopDelay {
  let current = startHistogram();
  let next: Histogram | undefined;
  let seconds = { median: 0, p99: 0, most: 0 };
  let overlap: NodeJS.Timeout | undefined;
  const report = (): void => {
    if (next === undefined) return;
    seconds = readSeconds(current);
    current.disable();
    current = next;
    next = undefined;
    const mostMs = Math.round(seconds.most * 1_000);
    if (mostMs > NOTABLE_MS)
      log.warn(`The event loop was held up for ${mostMs} ms.`, { code: 'event-loop-delay', ms: mostMs });
  };
  const timer = setInterval(() => {
    next ??= startHistogram();
    // `setImmediate`: after a delay, this timer may run before the one of the histogram.
    overlap = setTimeout(() => setImmediate(report), OVERLAP_MS).unref();
  }, intervalMs).unref();
  return {
    get seconds() {
      return seconds;
    },
    close() {
      clearInterval(timer);
      clearTimeout(overlap);
      current.disable();
      next?.disable();
      next = undefined;
    },
  };
}

function startHistogram(): Histogram {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  return histogram;
}

function readSeconds(histogram: Histogram): LoopDelay['seconds'] {
  const delayOf = (ns: number): number => Math.max(0, ns / 1e9 - RESOLUTION_MS / 1e3);
  return {
    median: delayOf(histogram.percentile(50)),
    p99: delayOf(histogram.percentile(99)),
    most: delayOf(histogram.max),
  };
}
