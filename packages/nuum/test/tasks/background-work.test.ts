import { join } from 'node:path';
import { temporaryDirectory, until } from '@plugboard/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { openMemory } from '../../src/memory/open.ts';
import { type BackgroundWork, createBackgroundWork, type Occasion } from '../../src/tasks/background-work.ts';
import type { DoTask } from '../../src/tasks/task-runner.ts';

const undo: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

let ids = 0;
/** What the operator was told. */
const told: string[] = [];

interface World {
  readonly background: BackgroundWork;
  readonly occasions: Occasion[];
  readonly snapshots: (readonly { id: string; status: string }[])[];
  readonly clock: { at: number };
  /** From here on nothing can be read or written. */
  breakMemory(): void;
  /** Ends the process without a word, and starts another one. */
  reborn(): World;
}

function world(
  doTask: DoTask = () => new Promise(() => {}),
  file?: string,
  clock = { at: 1_000_000 },
): World {
  const directory = file === undefined ? temporaryDirectory() : undefined;
  if (directory !== undefined) undo.push(() => directory[Symbol.dispose]());
  const path = file ?? join(directory?.path ?? '', 'a.db');
  const memory = openMemory(path, { now: () => clock.at });
  const background = createBackgroundWork({
    connection: memory.connection,
    now: () => clock.at,
    newId: () => `id-${++ids}`,
    atOnce: 2,
    doTask,
    log: (text) => void told.push(text),
  });
  const occasions: Occasion[] = [];
  const snapshots: World['snapshots'] = [];
  void (async () => {
    for await (const next of background.updates)
      'tasks' in next ? snapshots.push(next.tasks) : occasions.push(next);
  })();
  background.start();
  const stop = async (): Promise<void> => {
    if (memory.connection.database.isOpen) await background.stop();
    memory.close();
  };
  undo.push(stop);
  return {
    background,
    occasions,
    snapshots,
    clock,
    breakMemory: () => memory.close(),
    reborn() {
      memory.close();
      return world(doTask, path, clock);
    },
  };
}

const soon = (condition: () => boolean): Promise<void> => until(condition, 'what was expected');

it('an unread list of tasks is replaced by a newer one', async () => {
  const { background, snapshots } = world();
  background.setAlarm('first', 5_000_000, undefined);
  expect(background.takeChanged()).toMatchObject([{ description: 'first' }]);
  expect(background.takeChanged()).toBeUndefined();
  await new Promise((resolve) => setImmediate(resolve));
  expect(snapshots).toEqual([]);
  background.setAlarm('second', 6_000_000, undefined);
  await until(() => snapshots.length === 1, 'the list');
  expect(snapshots[0]).toHaveLength(2);
  expect(background.takeChanged()).toBeUndefined();
});

describe('an alarm', () => {
  it('an alarm rings once when its time has come', async () => {
    const { background, occasions, snapshots } = world();
    background.setAlarm('tea', 1_000_000, undefined);
    await soon(() => occasions.length === 1);
    expect(occasions[0]).toMatchObject({ origin: 'alarm', text: expect.stringContaining('tea') });
    occasions[0]?.settle('told');
    await soon(() => snapshots.at(-1)?.length === 0);
    expect(background.snapshot()).toEqual([]);
  });

  it('an alarm does not ring twice while its turn waits', async () => {
    const { background, occasions, clock } = world();
    background.setAlarm('tea', 1_000_000, undefined);
    await soon(() => occasions.length === 1);
    clock.at += 3_600_000;
    background.setAlarm('later', clock.at, undefined);
    await soon(() => occasions.length === 2);
    expect(occasions[1]?.text).toContain('later');
  });

  it('an alarm rings again after a crash before the end of its turn', async () => {
    const first = world();
    first.background.setAlarm('tea', 1_000_000, undefined);
    await soon(() => first.occasions.length === 1);
    const second = first.reborn();
    await soon(() => second.occasions.length === 1);
    second.occasions[0]?.settle('told');
    const third = second.reborn();
    third.background.setAlarm('sign of life', 1_000_000, undefined);
    await soon(() => third.occasions.length > 0);
    expect(third.occasions[0]?.text).toContain('sign of life');
  });

  it('an overdue alarm rings at the start', async () => {
    const first = world();
    first.background.setAlarm('tea', 5_000_000, undefined);
    first.clock.at = 6_000_000;
    const second = first.reborn();
    await soon(() => second.occasions.length === 1);
  });

  it('an alarm rings again later when its turn fails', async () => {
    const { background, occasions, clock } = world();
    background.setAlarm('tea', 1_000_000, undefined);
    await soon(() => occasions.length === 1);
    occasions[0]?.settle('failed');
    expect(background.snapshot()).toHaveLength(1);
    clock.at += 60_000;
    background.setAlarm('other', 9_000_000_000, undefined);
    await soon(() => occasions.length === 2);
    expect(occasions[1]?.text).toContain('tea');
  });

  it('up to twenty alarms of the same moment have one turn, which settles all of them', async () => {
    const { background, occasions, snapshots, clock } = world();
    for (let n = 1; n <= 45; n++) background.setAlarm(`note ${n}.`, 2_000_000, undefined);
    await soon(() => snapshots.length > 0);
    expect(snapshots.map((tasks) => tasks.length)).toEqual([45]);
    clock.at = 2_000_000;
    background.setAlarm('the last', 9_000_000_000, undefined);
    await soon(() => occasions.length > 0);
    expect(occasions.map(({ text }) => text.split('\n').length)).toEqual([20, 20, 5]);
    occasions[0]?.settle('told');
    occasions[1]?.settle('failed');
    expect(background.snapshot()).toHaveLength(26);
    clock.at += 60_000;
    occasions[2]?.settle('told');
    await soon(() => occasions.length === 4);
    expect(occasions[3]?.text).toBe(occasions[1]?.text);
  });

  it('alarms that cannot be read do not end the process, and are read again', async () => {
    const { background, snapshots, breakMemory } = world();
    background.setAlarm('tea', 1_000_050, undefined);
    await soon(() => snapshots.length === 1);
    breakMemory();
    await soon(() => told.some((text) => text.startsWith('The alarms could not be read')));
  });

  it('a repeated alarm is set again', async () => {
    const { background, occasions } = world();
    background.setAlarm('tea', 1_000_000, '1h');
    await soon(() => occasions.length === 1);
    occasions[0]?.settle('told');
    expect(background.snapshot()).toMatchObject([{ firesAt: new Date(4_600_000).toISOString() }]);
  });

  it('an alarm can be cancelled', async () => {
    const { background, snapshots } = world();
    const id = background.setAlarm('tea', 5_000_000, undefined);
    await soon(() => snapshots.length === 1);
    expect(background.cancel(id)).toBe(true);
    expect(background.cancel(id)).toBe(false);
    await soon(() => snapshots.at(-1)?.length === 0);
  });
});

describe('a background task', () => {
  it('a background task delivers its result', async () => {
    const { background, occasions, snapshots } = world(async (_kind, what) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return `found ${what}`;
    });
    expect(background.runner.start('research', 'owls')).toHaveProperty('id');
    await soon(() => occasions.length === 1);
    expect(occasions[0]).toMatchObject({ origin: 'task', text: expect.stringContaining('found owls') });
    await soon(() => snapshots.length === 2);
    expect(snapshots.map((tasks) => tasks.length)).toEqual([1, 0]);
  });

  it('a background task that fails delivers the reason', async () => {
    const { background, occasions } = world(() => Promise.reject(new Error('no such owl')));
    background.runner.start('reflect', 'owls');
    await soon(() => occasions.length === 1);
    expect(occasions[0]?.text).toMatch(/has failed:\s+no such owl/);
  });

  it('background tasks are limited in number, also when they are started together', () => {
    const { background } = world();
    const started = ['a', 'b', 'c', 'd'].map((what) => background.runner.start('research', what));
    expect(started.map((one) => 'id' in one)).toEqual([true, true, false, false]);
    expect(started[2]).toMatchObject({ problem: expect.stringContaining('most at once') });
  });

  it('the result of a cancelled task is discarded', async () => {
    let finish = (_text: string): void => {};
    let signal: AbortSignal | undefined;
    const { background, occasions } = world((_kind, _what, given) => {
      signal = given;
      return new Promise((resolve) => {
        finish = resolve;
      });
    });
    const started = background.runner.start('research', 'owls');
    const id = 'id' in started ? started.id : '';
    expect(background.cancel(id)).toBe(true);
    expect(signal?.aborted).toBe(true);
    finish('too late');
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(occasions).toEqual([]);
    expect(background.tasks.recent(5)).toMatchObject([{ status: 'cancelled' }]);
  });

  it('a task whose end cannot be stored does not end the process', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const { background, breakMemory } = world(() => promise);
    background.runner.start('research', 'owls');
    breakMemory();
    resolve('found');
    await soon(() => told.some((text) => text.startsWith('The result of the task')));
  });

  it('a task that ended with its process is reported to the next', () => {
    const first = world();
    first.background.runner.start('research', 'owls');
    const second = first.reborn();
    expect(second.background.snapshot()).toEqual([]);
    expect(second.background.tasks.recent(5)).toMatchObject([{ status: 'killed' }]);
  });

  it('an undelivered result is delivered by the next process', async () => {
    const first = world(async () => 'found');
    first.background.runner.start('research', 'owls');
    await soon(() => first.occasions.length === 1);
    const second = first.reborn();
    await soon(() => second.occasions.length === 1);
    second.occasions[0]?.settle('told');
    expect(second.reborn().background.tasks.undelivered()).toEqual([]);
  });
});
