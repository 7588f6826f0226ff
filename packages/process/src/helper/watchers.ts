import type { ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import { sendSignal } from '../terminate/group.ts';
import { createReportReader, type Report } from './reports.ts';
import { encodeOrder, ORDERS, REPORTS } from './wire.ts';

/** Hears what becomes of one start. */
export interface Watcher {
  started(pid: number): void;
  failed(errno: number): void;
  exited(code: number, signal: number): void;
  stderr(chunk: Buffer): void;
  /** The helper is gone. */
  lost(): void;
}

/** Everybody who waits for news from one helper. */
export interface Watchers {
  /** Starts of which nothing has been heard yet. */
  readonly starting: number;
  add(id: number, watcher: Watcher): void;
  release(id: number): void;
  readonly ready: Promise<void>;
  readonly gone: Promise<void>;
}

export function createWatchers(helper: ChildProcess): Watchers {
  const watchers = new Map<number, Watcher>();
  const starting = new Set<number>();
  const ready = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  const keep = createHold(helper);

  const remove = (id: number): void => {
    starting.delete(id);
    if (watchers.delete(id) && watchers.size === 0) keep.go();
  };
  const release = (id: number): void => {
    remove(id);
    helper.stdin?.write(encodeOrder(ORDERS.release, id));
  };
  const hear = ({ what, id, a, b, payload }: Report): void => {
    const watcher = watchers.get(id);
    if (what === REPORTS.ready) {
      keep.go();
      ready.resolve();
    } else if (what === REPORTS.stderr) watcher?.stderr(payload);
    else if (what === REPORTS.exited) watcher?.exited(a, b);
    else if (what === REPORTS.failed) {
      remove(id);
      watcher?.failed(a);
    } else if (what === REPORTS.started) {
      starting.delete(id);
      if (watcher) return watcher.started(a);
      // It was given up while its request was on its way.
      sendSignal(-a, 'SIGKILL');
      release(id);
    }
  };
  helper.stdout?.on('data', createReportReader(hear));
  helper.once('close', () => {
    const left = [...watchers.values()];
    watchers.clear();
    starting.clear();
    for (const watcher of left) watcher.lost();
    gone.resolve();
  });
  return {
    get starting() {
      return starting.size;
    },
    add(id, watcher) {
      if (watchers.size === 0) keep.stay();
      watchers.set(id, watcher);
      starting.add(id);
    },
    release,
    ready: ready.promise,
    gone: gone.promise,
  };
}

/** A helper that runs nothing must not keep its host from ending; one that runs something must. */
function createHold({ stdout }: ChildProcess): { stay(): void; go(): void } {
  const socket = stdout instanceof Socket ? stdout : undefined;
  return { stay: () => void socket?.ref(), go: () => void socket?.unref() };
}
