import { measureGroups } from './proc.ts';

/** From one measuring to the next. It holds up the event loop for some 20 µs for each process of the machine. */
const LOOK_MS = 250;

/** The pause is at least so many times as long as the measuring took of the processor, whatever else runs there. */
const PAUSE_FACTOR = 100;

interface Watch {
  readonly pid: () => number | undefined;
  readonly mostBytes: number;
  onExceeded(): void;
}

const watches = new Set<Watch>();
let timer: NodeJS.Timeout | undefined;

/** Calls once when a process and the rest of its process group hold more than `mostBytes`. Returns what ends the watch. */
export function watchMemory(watch: Watch): () => void {
  watches.add(watch);
  // One timer for all: one pass over /proc measures every group. Its owner is the set, and it keeps no program alive.
  timer ??= setTimeout(look, LOOK_MS).unref();
  return () => end(watch);
}

function end(watch: Watch): void {
  watches.delete(watch);
  if (watches.size > 0) return;
  clearTimeout(timer);
  timer = undefined;
}

function look(): void {
  const began = process.cpuUsage();
  const known = [...watches].flatMap((watch) => {
    const pid = watch.pid();
    return pid === undefined ? [] : [{ watch, pid }];
  });
  const used = measureGroups(new Set(known.map(({ pid }) => pid)));
  for (const { watch, pid } of known) {
    if ((used.get(pid) ?? 0) <= watch.mostBytes) continue;
    end(watch);
    watch.onExceeded();
  }
  if (watches.size === 0) return;
  clearTimeout(timer);
  const { user, system } = process.cpuUsage(began);
  const tookMs = (user + system) / 1_000;
  timer = setTimeout(look, Math.max(LOOK_MS, tookMs * PAUSE_FACTOR)).unref();
}
