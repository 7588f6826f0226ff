import { reasonOf } from '@plugboard/protocol';
import type { BackgroundTask, TaskKind, TaskStore } from './task-store.ts';

/** Runs one task. Resolves to the text that the conversation receives. */
export type DoTask = (kind: TaskKind, description: string, signal: AbortSignal) => Promise<string>;

/** Runs background tasks, at most `atOnce` at a time. */
export interface TaskRunner {
  /** Returns the id of the new task, or why none can start. */
  start(kind: TaskKind, description: string): { readonly id: string } | { readonly problem: string };
  /** Aborts a task. Its result is discarded. */
  cancel(id: string): boolean;
  /** Aborts all tasks and waits up to `STOP_MS` for them. */
  stop(): Promise<void>;
}

export interface TaskRunnerOptions {
  readonly store: TaskStore;
  readonly atOnce: number;
  readonly newId: () => string;
  readonly doTask: DoTask;
  /** Called when a task has started or ended. */
  readonly onChange: () => void;
  /** Called when a task has completed or failed, with its result. */
  readonly onDone: (task: BackgroundTask) => void;
  readonly log: (text: string) => void;
}

/** How long `stop` waits for aborted tasks. */
const STOP_MS = 1_000;

interface Running {
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

export function createTaskRunner(options: TaskRunnerOptions): TaskRunner {
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
    // `cancel` and `stop` have recorded the end of an aborted task already.
    if (signal.aborted || !store.end(id, status, result)) return;
    onChange();
    for (const task of store.undelivered()) if (task.id === id) onDone(task);
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
        // The row stays `running`, so that `killLeft` of the next process reports the task.
        log(`The result of the task ${id} could not be stored: ${reasonOf(error)}`),
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
      const late = new Promise((resolve) => setTimeout(resolve, STOP_MS).unref());
      await Promise.race([Promise.all(all.map(([, { ended }]) => ended)), late]);
    },
  };
}
