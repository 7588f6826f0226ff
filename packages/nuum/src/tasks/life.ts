import type { Task } from '@plugboard/protocol';
import type { Connection } from '../database/connection.ts';
import { type Alarm, alarmAsTask, createAlarmStore } from './alarms.ts';
import { type Background, createBackground, type DoTask } from './background.ts';
import { createChannel } from './channel.ts';
import { createClockwork } from './clockwork.ts';
import { asTask, type BackgroundTask, createTaskStore, type TaskStore } from './task-store.ts';

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
}

export function createLife({ connection, now, newId, atOnce, doTask }: LifeOptions): Life {
  const alarms = createAlarmStore(connection, now);
  const tasks = createTaskStore(connection, now);
  const happenings = createChannel<Occasion | { readonly tasks: readonly Task[] }>();
  const snapshot = (): Task[] => [...tasks.running().map(asTask), ...alarms.pending().map(alarmAsTask)];
  let last = '[]';
  // Several changes at once may leave everything as the host knows it.
  const changed = (): void => {
    const all = snapshot();
    const text = JSON.stringify(all);
    if (text !== last) happenings.push({ tasks: all });
    last = text;
  };
  const clockwork = createClockwork(alarms, now, (alarm) => happenings.push(alarmOccasion(alarm)));

  const alarmOccasion = ({ id, note, firesAt }: Alarm): Occasion => ({
    origin: 'alarm',
    text: `Your alarm ${id}, set for ${new Date(firesAt).toISOString()}, rings: ${note}`,
    settle(how) {
      clockwork.settle(id, how);
      changed();
    },
  });
  const taskOccasion = ({ id, kind, description, status, result }: BackgroundTask): Occasion => ({
    origin: 'task',
    text: `Your background task ${id} (${kind}: ${description}) has ${status}:\n\n${result ?? ''}`,
    settle(how) {
      if (how === 'told') tasks.told(id);
      else later(() => retell(id));
    },
  });
  const retell = (id: string): void => {
    for (const task of tasks.untold()) if (task.id === id) happenings.push(taskOccasion(task));
  };
  const waiting = new Set<NodeJS.Timeout>();
  const later = (work: () => void): void => {
    const timer = setTimeout(() => {
      waiting.delete(timer);
      work();
    }, RETELL_MS);
    waiting.add(timer.unref());
  };
  const background = createBackground({
    store: tasks,
    atOnce,
    newId,
    doTask,
    onChange: changed,
    onDone: (task) => happenings.push(taskOccasion(task)),
  });
  return {
    background,
    tasks,
    happenings,
    snapshot,
    setAlarm(note, firesAt, every) {
      const id = newId();
      alarms.add({ id, note, firesAt, every });
      changed();
      clockwork.wind();
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
      changed();
      for (const task of tasks.untold()) happenings.push(taskOccasion(task));
      clockwork.wind();
      return killed;
    },
    async stop() {
      for (const timer of waiting) clearTimeout(timer);
      clockwork.stop();
      await background.stop();
      happenings.close();
    },
  };
}

/** How long after a turn that failed a result is told again. */
const RETELL_MS = 60_000;
