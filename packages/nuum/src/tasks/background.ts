import { reasonOf } from '@plugboard/protocol';
import type { BackgroundTask, TaskKind, TaskStore } from './task-store.ts';

/** Does the work of a task; the text is what the conversation gets to hear. */
export type DoTask = (kind: TaskKind, description: string, signal: AbortSignal) => Promise<string>;

/** Work beside the conversation. */
export interface Background {
  /** Begins a task; gives its id, or a sentence that says why not. */
  start(kind: TaskKind, description: string): { readonly id: string } | { readonly problem: string };
  /** Ends a task for good: what it comes to is not told. */
  cancel(id: string): boolean;
  /** Aborts what runs, and waits for it. */
  stop(): Promise<void>;
}

export interface BackgroundOptions {
  readonly store: TaskStore;
  readonly atOnce: number;
  readonly newId: () => string;
  readonly doTask: DoTask;
  /** A task has begun or ended. */
  readonly onChange: () => void;
  /** A task has something to tell. */
  readonly onDone: (task: BackgroundTask) => void;
  /** For the operator. */
  readonly log: (text: string) => void;
}

/** How long work has to end after it was told to. */
const WIND_UP_MS = 1_000;

interface Running {
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

export function createBackground(options: BackgroundOptions): Background {
  const { store, atOnce, newId, doTask, onChange, onDone, log } = options;
  const running = new Map<string, Running>();

  const work = async (
    id: string,
    kind: TaskKind,
    description: string,
    signal: AbortSignal,
  ): Promise<void> => {
    const [status, result] = await doTask(kind, description, signal).then(
      (text) => ['completed', text] as const,
      (error: unknown) => ['failed', reasonOf(error)] as const,
    );
    running.delete(id);
    // Whoever aborted it has said what became of it.
    if (signal.aborted || !store.end(id, status, result)) return;
    onChange();
    for (const task of store.untold()) if (task.id === id) onDone(task);
  };
  return {
    start(kind, description) {
      if (running.size >= atOnce) {
        const problem = `${running.size} background tasks are running, which is the most at once. Wait for one, or cancel one.`;
        return { problem };
      }
      const id = newId();
      const controller = new AbortController();
      store.add(id, kind, description);
      const ended = work(id, kind, description, controller.signal).catch((error: unknown) =>
        // What came of it cannot be kept: it stays marked as running, and the next process reports it.
        log(`What became of the task ${id} could not be kept: ${reasonOf(error)}`),
      );
      running.set(id, { controller, ended });
      onChange();
      return { id };
    },
    cancel(id) {
      const one = running.get(id);
      if (one === undefined || !store.end(id, 'cancelled', 'It was cancelled.')) return false;
      running.delete(id);
      one.controller.abort(new Error('The task was cancelled.'));
      onChange();
      return true;
    },
    async stop() {
      const all = [...running.entries()];
      for (const [id, { controller }] of all) {
        store.end(id, 'killed', 'The agent was stopped before the task had ended.');
        controller.abort(new Error('The agent is stopping.'));
      }
      const late = new Promise((resolve) => setTimeout(resolve, WIND_UP_MS).unref());
      await Promise.race([Promise.all(all.map(([, { ended }]) => ended)), late]);
    },
  };
}
