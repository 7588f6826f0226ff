import { createAlarm } from '../alarm.ts';
import type { Child } from '../child.ts';

interface IdleProcess {
  readonly child: Child;
  readonly since: number;
}

export interface IdleProcesses {
  add(child: Child): void;
  /** The oldest process: it is the most likely to be ready. */
  take(): Child | undefined;
  /** Removes all processes from the list; the caller ends them. */
  clear(): Child[];
  readonly size: number;
}

export interface IdleEvents {
  onExit(child: Child, ageMs: number): void;
  onStale(child: Child): void;
}

/** The waiting processes in order of age. A process that exits or exceeds `maxIdleMs` is removed. */
export function createIdleProcesses(maxIdleMs: number, { onExit, onStale }: IdleEvents): IdleProcesses {
  const idle = new Set<IdleProcess>();
  // `take` leaves the alarm unchanged: resetting it would delay the turn.
  const alarm = createAlarm(replaceOld);

  function replaceOld(): void {
    const now = performance.now();
    for (const entry of idle) {
      if (now < entry.since + maxIdleMs) return alarm.at(entry.since + maxIdleMs);
      idle.delete(entry);
      onStale(entry.child);
    }
  }
  return {
    add(child) {
      const entry: IdleProcess = { child, since: performance.now() };
      idle.add(entry);
      if (idle.size === 1) alarm.at(entry.since + maxIdleMs);
      void child.exited.then(() => idle.delete(entry) && onExit(child, performance.now() - entry.since));
    },
    take() {
      const [oldest] = idle;
      if (oldest) idle.delete(oldest);
      return oldest?.child;
    },
    clear() {
      alarm.clear();
      const children = Array.from(idle, ({ child }) => child);
      idle.clear();
      return children;
    },
    get size() {
      return idle.size;
    },
  };
}
