import type { ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import { sendSignal } from '../terminate/send-signal.ts';
import { createReportReader, type Report } from './reports.ts';
import { encodeOrder, ORDERS, REPORTS } from './wire.ts';

/** Receives the reports on one start. */
export interface Watcher {
  started(pid: number): void;
  failed(errno: number): void;
  exited(code: number, signal: number): void;
  stderr(chunk: Buffer): void;
  /** The helper has exited. */
  lost(): void;
}

/** The watchers of all starts of one helper. */
export interface Watchers {
  /** Starts without a report yet. */
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
  const hold = createEventLoopHold(helper);

  const remove = (id: number): void => {
    starting.delete(id);
    if (watchers.delete(id) && watchers.size === 0) hold.unref();
  };
  const release = (id: number): void => {
    remove(id);
    helper.stdin?.write(encodeOrder(ORDERS.release, id));
  };
  const handleReport = ({ kind, id, a, b, payload }: Report): void => {
    const watcher = watchers.get(id);
    if (kind === REPORTS.ready) {
      hold.unref();
      ready.resolve();
    } else if (kind === REPORTS.stderr) watcher?.stderr(payload);
    else if (kind === REPORTS.exited) watcher?.exited(a, b);
    else if (kind === REPORTS.failed) {
      remove(id);
      watcher?.failed(a);
    } else if (kind === REPORTS.started) {
      starting.delete(id);
      if (watcher) return watcher.started(a);
      // `remove` ran while the request was on its way: the start was abandoned.
      sendSignal(-a, 'SIGKILL');
      release(id);
    }
  };
  helper.stdout?.on('data', createReportReader(handleReport));
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
      if (watchers.size === 0) hold.ref();
      watchers.set(id, watcher);
      starting.add(id);
    },
    release,
    ready: ready.promise,
    gone: gone.promise,
  };
}

/** A helper that runs processes keeps the host's event loop alive (`ref`); an idle helper does not. */
function createEventLoopHold({ stdout }: ChildProcess): { ref(): void; unref(): void } {
  const socket = stdout instanceof Socket ? stdout : undefined;
  return { ref: () => void socket?.ref(), unref: () => void socket?.unref() };
}
