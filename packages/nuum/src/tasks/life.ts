import type { Task } from '@plugboard/protocol';
import { reasonOf } from '@plugboard/protocol';
import type { Connection } from '../database/connection.ts';
import { type Alarm, alarmAsTask, createAlarmStore } from './alarms.ts';
import { type Background, createBackground, type DoTask } from './background.ts';
import { createChannel } from './channel.ts';
import { createClockwork, pauseAfter } from './clockwork.ts';
import { asTask, type BackgroundTask, createTaskStore, type TaskStore } from './task-store.ts';
import { createTelling } from './telling.ts';

/** A reason for a turn that nobody asked for. */
export interface Occasion {
  readonly origin: 'alarm' | 'task';
  /** What the model is told. */
  readonly text: string;
  /** The turn about it has ended, or has failed: then it comes again. */
  settle(how: 'told' | 'failed'): void;
}

/** What happens beside the conversation. */
export interface Life {
  readonly background: Background;
  readonly tasks: TaskStore;
  /** Occasions for turns, and snapshots of tasks and alarms whenever those have changed. */
  readonly happenings: AsyncIterable<Occasion | { readonly tasks: readonly Task[] }>;
  /** Tasks that run and alarms that are set. */
  snapshot(): readonly Task[];
  /** The same, if the host has not been told yet: whoever asks tells it. */
  untold(): readonly Task[] | undefined;
  setAlarm(note: string, firesAt: number, every: string | undefined): string;
  cancel(id: string): boolean;
  /** Begins to ring, and tells what was left untold; gives the tasks that died with the last process. */
  start(): readonly BackgroundTask[];
  stop(): Promise<void>;
}

export interface LifeOptions {
  readonly connection: Connection;
  readonly now: () => number;
  readonly newId: () => string;
  readonly atOnce: number;
  readonly doTask: DoTask;
  /** For the operator. */
  readonly log: (text: string) => void;
}

export function createLife({ connection, now, newId, atOnce, doTask, log }: LifeOptions): Life {
  const alarms = createAlarmStore(connection, now);
  const tasks = createTaskStore(connection, now);
  const happenings = createChannel<Occasion | { readonly tasks: readonly Task[] }>();
  const snapshot = (): Task[] => [...tasks.running().map(asTask), ...alarms.pending().map(alarmAsTask)];
  const clockwork = createClockwork({
    store: alarms,
    now,
    log,
    ring: (due) => happenings.push(alarmOccasion(due)),
  });
  const telling = createTelling({
    snapshot,
    push: () => happenings.push(latest),
    onTold: () => clockwork.wind(),
    log,
  });
  const { changed } = telling;
  // A list may wait until a slow host has read: a newer one can have been told by then, and must stay the last word.
  const latest = {
    get tasks() {
      return telling.told;
    },
  };
  /** A turn that has ended must not fail for what comes after it, and nobody hears what a timer throws. */
  const guarded = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      log(`What has become of tasks and alarms could not be kept: ${reasonOf(error)}`);
    }
  };

  const alarmOccasion = (due: readonly Alarm[]): Occasion => ({
    origin: 'alarm',
    text: due.map(ringText).join('\n'),
    settle(how) {
      const ids = due.map(({ id }) => id);
      guarded(() => clockwork.settle(ids, how));
      changed();
    },
  });
  const taskOccasion = (
    { id, kind, description, status, result }: BackgroundTask,
    failures = 0,
  ): Occasion => ({
    origin: 'task',
    text: `Your background task ${id} (${kind}: ${description}) has ${status}:\n\n${result ?? ''}`,
    settle(how) {
      if (how === 'told') guarded(() => tasks.told(id));
      else later(failures, () => retell(id, failures + 1));
    },
  });
  const retell = (id: string, failures: number): void => {
    for (const task of tasks.untold()) if (task.id === id) happenings.push(taskOccasion(task, failures));
  };
  const waiting = new Set<NodeJS.Timeout>();
  const later = (failures: number, work: () => void): void => {
    const timer = setTimeout(() => {
      waiting.delete(timer);
      guarded(work);
    }, pauseAfter(failures));
    waiting.add(timer.unref());
  };
  const background = createBackground({
    store: tasks,
    atOnce,
    newId,
    doTask,
    onChange: changed,
    log,
    onDone: (task) => happenings.push(taskOccasion(task)),
  });
  return {
    background,
    tasks,
    happenings,
    snapshot,
    untold() {
      let tasks: readonly Task[] | undefined;
      guarded(() => {
        tasks = telling.untold();
      });
      return tasks;
    },
    setAlarm(note, firesAt, every) {
      const id = newId();
      alarms.add({ id, note, firesAt, every });
      changed();
      return id;
    },
    cancel(id) {
      if (background.cancel(id)) return true;
      if (!alarms.cancel(id)) return false;
      changed();
      return true;
    },
    start() {
      const killed = tasks.killLeft();
      telling.tell();
      for (const task of tasks.untold()) happenings.push(taskOccasion(task));
      clockwork.wind();
      return killed;
    },
    async stop() {
      for (const timer of waiting) clearTimeout(timer);
      telling.stop();
      clockwork.stop();
      await background.stop();
      happenings.close();
    },
  };
}

function ringText({ id, note, firesAt }: Alarm): string {
  return `Your alarm ${id}, set for ${new Date(firesAt).toISOString()}, rings: ${note}`;
}
