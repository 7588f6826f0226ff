import type { Task } from '@plugboard/protocol';
import { reasonOf } from '@plugboard/protocol';
import type { Connection } from '@plugboard/sqlite';
import { createAlarmTimer, pauseAfter } from './alarm-timer.ts';
import { type Alarm, alarmAsTask, createAlarmStore } from './alarms.ts';
import { createChannel } from './async-queue.ts';
import { createTaskRunner, type DoTask, type TaskRunner } from './task-runner.ts';
import { asTask, type BackgroundTask, createTaskStore, type TaskStore } from './task-store.ts';
import { createTaskUpdates } from './task-updates.ts';

/** A turn that no user asked for. */
export interface Occasion {
  readonly origin: 'alarm' | 'task';
  /** The text of the turn for the model. */
  readonly text: string;
  /** `told`: the turn has ended. `failed`: the same occasion comes again later. */
  settle(how: 'told' | 'failed'): void;
}

/** Background tasks and alarms of an agent. */
export interface BackgroundWork {
  readonly runner: TaskRunner;
  readonly tasks: TaskStore;
  /** Turns to begin, and the list of tasks and alarms whenever it has changed. */
  readonly updates: AsyncIterable<Occasion | { readonly tasks: readonly Task[] }>;
  /** Running tasks and pending alarms. */
  snapshot(): readonly Task[];
  /** `snapshot` if it differs from the list that the host has; the caller must send it. Else undefined. */
  takeChanged(): readonly Task[] | undefined;
  setAlarm(note: string, firesAt: number, every: string | undefined): string;
  cancel(id: string): boolean;
  /**
   * Sets the timer of the alarms, and pushes the results that an earlier process did not deliver. Returns the tasks
   * that ended with that process.
   */
  start(): readonly BackgroundTask[];
  stop(): Promise<void>;
}

export interface BackgroundWorkOptions {
  readonly connection: Connection;
  readonly now: () => number;
  readonly newId: () => string;
  readonly atOnce: number;
  readonly doTask: DoTask;
  readonly log: (text: string) => void;
}

export function createBackgroundWork({
  connection,
  now,
  newId,
  atOnce,
  doTask,
  log,
}: BackgroundWorkOptions): BackgroundWork {
  const alarms = createAlarmStore(connection, now);
  const tasks = createTaskStore(connection, now);
  const updates = createChannel<Occasion | { readonly tasks: readonly Task[] }>();
  const snapshot = (): Task[] => [...tasks.running().map(asTask), ...alarms.pending().map(alarmAsTask)];
  const alarmTimer = createAlarmTimer({
    store: alarms,
    now,
    log,
    ring: (due) => updates.push(alarmOccasion(due)),
  });
  const taskUpdates = createTaskUpdates({
    snapshot,
    push: () => updates.push(latest),
    onSent: () => alarmTimer.schedule(),
    log,
  });
  const { sendSoon } = taskUpdates;
  // A getter: a slow host may read this item after newer ones were pushed, and must receive the newest list last.
  const latest = {
    get tasks() {
      return taskUpdates.sent;
    },
  };
  /**
   * Logs errors instead of throwing: a turn that has ended must not fail, and an error of a timer would be unhandled.
   */
  const tryOrLog = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      log(`The state of tasks and alarms could not be stored: ${reasonOf(error)}`);
    }
  };

  const alarmOccasion = (due: readonly Alarm[]): Occasion => ({
    origin: 'alarm',
    text: due.map(ringText).join('\n'),
    settle(how) {
      const ids = due.map(({ id }) => id);
      tryOrLog(() => alarmTimer.settle(ids, how));
      sendSoon();
    },
  });
  const taskOccasion = (
    { id, kind, description, status, result }: BackgroundTask,
    failures = 0,
  ): Occasion => ({
    origin: 'task',
    text: `Your background task ${id} (${kind}: ${description}) has ${status}:\n\n${result ?? ''}`,
    settle(how) {
      if (how === 'told') tryOrLog(() => tasks.markDelivered(id));
      else runLater(failures, () => redeliver(id, failures + 1));
    },
  });
  const redeliver = (id: string, failures: number): void => {
    for (const task of tasks.undelivered()) if (task.id === id) updates.push(taskOccasion(task, failures));
  };
  const waiting = new Set<NodeJS.Timeout>();
  const runLater = (failures: number, work: () => void): void => {
    const timer = setTimeout(() => {
      waiting.delete(timer);
      tryOrLog(work);
    }, pauseAfter(failures));
    waiting.add(timer.unref());
  };
  const runner = createTaskRunner({
    store: tasks,
    atOnce,
    newId,
    doTask,
    onChange: sendSoon,
    log,
    onDone: (task) => updates.push(taskOccasion(task)),
  });
  return {
    runner,
    tasks,
    updates,
    snapshot,
    takeChanged() {
      let tasks: readonly Task[] | undefined;
      tryOrLog(() => {
        tasks = taskUpdates.takeChanged();
      });
      return tasks;
    },
    setAlarm(note, firesAt, every) {
      const id = newId();
      alarms.add({ id, note, firesAt, every });
      sendSoon();
      return id;
    },
    cancel(id) {
      if (runner.cancel(id)) return true;
      if (!alarms.cancel(id)) return false;
      sendSoon();
      return true;
    },
    start() {
      const killed = tasks.killLeft();
      taskUpdates.sendNow();
      for (const task of tasks.undelivered()) updates.push(taskOccasion(task));
      alarmTimer.schedule();
      return killed;
    },
    async stop() {
      for (const timer of waiting) clearTimeout(timer);
      taskUpdates.stop();
      alarmTimer.stop();
      await runner.stop();
      updates.close();
    },
  };
}

function ringText({ id, note, firesAt }: Alarm): string {
  return `Your alarm ${id}, set for ${new Date(firesAt).toISOString()}, rings: ${note}`;
}
