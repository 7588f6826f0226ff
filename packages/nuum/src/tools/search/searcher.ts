import { Worker } from 'node:worker_threads';
import type { SearchReply, SearchRequest } from './request.ts';

/** A search that exceeds `limitMs` by this hangs in one regular expression, and its thread is ended. */
const OVERTIME_MS = 2000;
const IDLE_MS = 60_000;
const MOST_AT_ONCE = 4;
const MEMORY_MB = 512;

type Answer = { readonly reply: SearchReply } | { readonly problem: string };

/** Runs searches in worker threads, since a regular expression blocks its thread. */
export interface Searcher {
  /** Throws when the signal is aborted or the thread had to be ended. */
  search(request: SearchRequest, signal: AbortSignal): Promise<SearchReply>;
}

/** Starts a thread for a search, and keeps one idle thread for `IDLE_MS`. All end with `lifetime`. */
export function createSearcher(lifetime: AbortSignal): Searcher {
  const pool = createWorkerPool(lifetime);
  return {
    async search(request, signal) {
      const ended = AbortSignal.any([signal, lifetime]);
      await pool.enter(ended);
      const worker = pool.take();
      try {
        const reply = await askWorker(worker, request, ended);
        pool.giveBack(worker);
        return reply;
      } catch (error) {
        void worker.terminate();
        throw error;
      } finally {
        pool.leave();
      }
    },
  };
}

interface WorkerPool {
  /** Waits until fewer than `MOST_AT_ONCE` searches run. */
  enter(signal: AbortSignal): Promise<void>;
  leave(): void;
  take(): Worker;
  giveBack(worker: Worker): void;
}

function createWorkerPool(lifetime: AbortSignal): WorkerPool {
  const waiting = new Set<() => void>();
  let running = 0;
  let idle: { readonly worker: Worker; readonly timer: NodeJS.Timeout } | undefined;

  const retire = (): void => {
    clearTimeout(idle?.timer);
    void idle?.worker.terminate();
    idle = undefined;
  };
  lifetime.addEventListener('abort', retire, { once: true });

  return {
    async enter(signal) {
      while (running >= MOST_AT_ONCE && !signal.aborted) {
        await new Promise<void>((resolve) => {
          waiting.add(resolve);
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
      }
      signal.throwIfAborted();
      running += 1;
    },
    leave() {
      running -= 1;
      for (const wake of waiting) wake();
      waiting.clear();
    },
    take() {
      const worker = idle?.worker ?? startWorker();
      clearTimeout(idle?.timer);
      idle = undefined;
      return worker;
    },
    giveBack(worker) {
      if (idle !== undefined || lifetime.aborted) void worker.terminate();
      else idle = { worker, timer: setTimeout(retire, IDLE_MS).unref() };
    },
  };
}

function startWorker(): Worker {
  // The built file has another extension.
  const file = import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js';
  const worker = new Worker(new URL(file, import.meta.url), {
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  // An idle thread has no listener for `error`; an unhandled one would end the process.
  worker.on('error', () => {});
  return worker;
}

function askWorker(worker: Worker, request: SearchRequest, signal: AbortSignal): Promise<SearchReply> {
  const over = new AbortController();
  worker.ref();
  return new Promise<SearchReply>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error('The pattern takes too long on one of the files; write a simpler one.')),
      request.limitMs + OVERTIME_MS,
    );
    const listen = (event: string, listener: (value: unknown) => void): void => {
      worker.on(event, listener);
      over.signal.addEventListener('abort', () => worker.off(event, listener), { once: true });
    };
    over.signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
    listen('message', (answer) => {
      const told = answer as Answer;
      if ('reply' in told) resolve(told.reply);
      else reject(new Error(told.problem));
    });
    listen('error', (error) => reject(error));
    listen('exit', () => reject(new Error('The search ended before it was done.')));
    signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: over.signal });
    worker.postMessage(request);
  }).finally(() => {
    over.abort();
    worker.unref();
  });
}
