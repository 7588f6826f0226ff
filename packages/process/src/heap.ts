import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** What the young generation may grow to. */
const YOUNG_BYTES = 16 * 1024 * 1024;

/**
 * Keeps V8 from making the young generation of this process ever larger for the sake of a little speed: a busy gateway would
 * take 220 MiB where 140 do. V8's own limit can only be given when Node starts; that it shall not grow any more can be said
 * later, so it is looked at after each collection until it is large enough.
 */
export function boundYoungGeneration(): void {
  const observer = new PerformanceObserver(() => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    if ((young?.space_size ?? 0) < YOUNG_BYTES) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    observer.disconnect();
  });
  observer.observe({ entryTypes: ['gc'] });
}

/**
 * Makes V8 collect the old generation when it has grown by half, instead of waiting until it is up to four times as large. For a
 * program that lives long and holds little.
 */
export function collectOldGenerationEarly(): void {
  setFlagsFromString('--heap-growing-percent=50');
}
