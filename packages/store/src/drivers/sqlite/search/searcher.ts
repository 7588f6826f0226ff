import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { StoreError } from '../../../contract/errors.ts';
import { storeProblem } from '../problem.ts';
import type { SessionRow } from '../sessions/session-rows.ts';
import type { SessionSearch } from './find-sessions.ts';
import type { SearchReply, SearchRequest } from './search-worker.ts';

/** Runs searches in a worker thread, one after the other. */
export interface Searcher {
  /**
   * Rejects with `busy` when the search takes longer than `limitMs` or `waiting` searches are queued, with the reason of an
   * aborted `signal`, and with `closed` after `close`.
   */
  find(search: SessionSearch, signal?: AbortSignal): Promise<readonly SessionRow[]>;
  close(): Promise<void>;
}

interface SearchLimits {
  readonly limitMs: number;
  /** Length of the queue. */
  readonly waiting: number;
}

const SEARCH_LIMITS: SearchLimits = { limitMs: 3_000, waiting: 32 };

/** An idle thread is terminated after this time. */
const IDLE_MS = 60_000;

/** Added to `limitMs`, since the thread checks the time only between statements. */
const GRACE_MS = 250;

interface Task {
  readonly search: SessionSearch;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (sessions: readonly SessionRow[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Starts the thread at the first search. An aborted or overdue search terminates the thread; the next one starts another. */
export function createSearcher(file: string, limits: SearchLimits = SEARCH_LIMITS): Searcher {
  const queue: Task[] = [];
  let running: Task | undefined;
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let closed = false;

  const endWorker = async (): Promise<void> => {
    const ended = worker;
    worker = undefined;
    await ended?.terminate();
  };
  const runNext = async (): Promise<void> => {
    clearTimeout(idle);
    for (let task = queue.shift(); task !== undefined; task = queue.shift()) {
      running = task;
      try {
        worker ??= startWorker(file, () => {
          worker = undefined;
        });
        const reply = await askWorker(worker, task, limits.limitMs);
        if ('sessions' in reply) task.resolve(reply.sessions);
        else task.reject(toError(reply, file, limits.limitMs));
      } catch (error) {
        // Without a reply the thread may still run a statement, which only `terminate` interrupts.
        void endWorker();
        task.reject(closed ? closedError(file) : error);
      }
    }
    running = undefined;
    idle = setTimeout(() => void endWorker(), IDLE_MS).unref();
  };

  return {
    find(search, signal) {
      if (closed) return Promise.reject(closedError(file));
      if (queue.length >= limits.waiting)
        return Promise.reject(new StoreError('busy', 'Too many searches wait. Try again in a moment.'));
      return new Promise((resolve, reject) => {
        queue.push({ search, signal, resolve, reject });
        if (running === undefined) void runNext();
      });
    },
    async close() {
      closed = true;
      clearTimeout(idle);
      for (const task of queue.splice(0)) task.reject(closedError(file));
      await endWorker();
    },
  };
}

function closedError(file: string): StoreError {
  return new StoreError('closed', `The store in ${file} is closed.`);
}

function startWorker(file: string, onExit: () => void): Worker {
  const url = new URL(`./search-worker${extname(import.meta.url)}`, import.meta.url);
  const worker = new Worker(url, { workerData: { file }, execArgv: [], env: {} });
  // `exit` follows an error. During a search, `askWorker` has its own listener.
  worker.on('error', () => {});
  worker.once('exit', onExit);
  worker.unref();
  return worker;
}

/** Rejects when the thread exits, after `limitMs + GRACE_MS`, or when `signal` is aborted. */
function askWorker(worker: Worker, { search, signal }: Task, limitMs: number): Promise<SearchReply> {
  const over = new AbortController();
  // Only a thread with a running search keeps the process alive.
  worker.ref();
  return new Promise<SearchReply>((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = setTimeout(() => reject(tooSlow(limitMs)), limitMs + GRACE_MS);
    over.signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
    const listen = <Value>(event: string, listener: (value: Value) => void): void => {
      worker.on(event, listener);
      over.signal.addEventListener('abort', () => worker.off(event, listener), { once: true });
    };
    listen<SearchReply>('message', resolve);
    listen('error', reject);
    listen('exit', () => reject(new Error('The search thread ended before the search did.')));
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true, signal: over.signal });
    worker.postMessage({ ...search, limitMs } satisfies SearchRequest);
  }).finally(() => {
    over.abort();
    worker.unref();
  });
}

function toError(reply: Exclude<SearchReply, { sessions: unknown }>, file: string, limitMs: number): unknown {
  if (reply.failure === 'timeout') return tooSlow(limitMs);
  return storeProblem(file, Object.assign(new Error(reply.message), { errcode: reply.errcode }));
}

function tooSlow(limitMs: number): StoreError {
  return new StoreError(
    'busy',
    `The search took longer than ${limitMs / 1_000} seconds and was ended. Look for longer or fewer words.`,
  );
}
