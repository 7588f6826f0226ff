import { measureGroups } from './proc-files.ts';

/**
 * Interval between two measurements. One measurement blocks the event loop for about 20 µs per process of the machine,
 * 2 ms for 100.
 */
const INTERVAL_MS = 250;

/**
 * The pause is at least this many times the CPU time of a measurement, so measuring takes at most 1 % of a processor.
 */
const PAUSE_FACTOR = 100;

interface Watch {
  readonly pid: () => number | undefined;
  readonly mostBytes: number;
  onExceeded(): void;
}

const watches = new Set<Watch>();
let timer: NodeJS.Timeout | undefined;

/**
 * Calls `onExceeded` once when a process and its process group hold more than `mostBytes`. The returned function ends
 * the watch.
 */
export function watchMemory(watch: Watch): () => void {
  watches.add(watch);
  // One timer serves all watches, because one pass over /proc measures every group. `unref` lets the program exit.
  timer ??= setTimeout(measureWatches, INTERVAL_MS).unref();
  return () => endWatch(watch);
}

function endWatch(watch: Watch): void {
  watches.delete(watch);
  if (watches.size > 0) return;
  clearTimeout(timer);
  timer = undefined;
}

function measureWatches(): void {
  const began = process.cpuUsage();
  const known = [...watches].flatMap((watch) => {
    const pid = watch.pid();
    return pid === undefined ? [] : [{ watch, pid }];
  });
  const used = measureGroups(new Set(known.map(({ pid }) => pid)));
  for (const { watch, pid } of known) {
    if ((used.get(pid) ?? 0) <= watch.mostBytes) continue;
    endWatch(watch);
    watch.onExceeded();
  }
  if (watches.size === 0) return;
  clearTimeout(timer);
  const { user, system } = process.cpuUsage(began);
  const tookMs = (user + system) / 1_000;
  timer = setTimeout(measureWatches, Math.max(INTERVAL_MS, tookMs * PAUSE_FACTOR)).unref();
}
