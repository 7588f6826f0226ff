import { measureGroups } from './proc.ts';

/** How often the memory of the watched processes is measured. */
const LOOK_MS = 250;

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
  timer ??= setInterval(look, LOOK_MS).unref();
  return () => end(watch);
}

function end(watch: Watch): void {
  watches.delete(watch);
  if (watches.size > 0) return;
  clearInterval(timer);
  timer = undefined;
}

function look(): void {
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
}
