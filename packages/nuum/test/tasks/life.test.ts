import { join } from 'node:path';
import { temporaryDirectory, until } from '@plugboard/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { openMemory } from '../../src/memory/open.ts';
import type { DoTask } from '../../src/tasks/background.ts';
import { createLife, type Life, type Occasion } from '../../src/tasks/life.ts';

const undo: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

let ids = 0;
/** What the operator was told. */
const told: string[] = [];

interface World {
  readonly life: Life;
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
  const life = createLife({
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
    for await (const next of life.happenings)
      'tasks' in next ? snapshots.push(next.tasks) : occasions.push(next);
  })();
  life.start();
  const stop = async (): Promise<void> => {
    if (memory.connection.database.isOpen) await life.stop();
    memory.close();
  };
  undo.push(stop);
  return {
    life,
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

it('lets an older list that has not been read yet give way to one that was told elsewhere', async () => {
  const { life, snapshots } = world();
  life.setAlarm('first', 5_000_000, undefined);
  expect(life.untold()).toMatchObject([{ description: 'first' }]);
  expect(life.untold()).toBeUndefined();
  await new Promise((resolve) => setImmediate(resolve));
  expect(snapshots).toEqual([]);
  life.setAlarm('second', 6_000_000, undefined);
  await until(() => snapshots.length === 1, 'the list');
  expect(snapshots[0]).toHaveLength(2);
  expect(life.untold()).toBeUndefined();
});

describe('an alarm', () => {
  it('rings when its time has come, and once', async () => {
    const { life, occasions, snapshots } = world();
    life.setAlarm('tea', 1_000_000, undefined);
    await soon(() => occasions.length === 1);
    expect(occasions[0]).toMatchObject({ origin: 'alarm', text: expect.stringContaining('tea') });
    occasions[0]?.settle('told');
    await soon(() => snapshots.at(-1)?.length === 0);
    expect(life.snapshot()).toEqual([]);
  });

  it('does not ring twice while its turn waits, however long that takes', async () => {
    const { life, occasions, clock } = world();
    life.setAlarm('tea', 1_000_000, undefined);
    await soon(() => occasions.length === 1);
    clock.at += 3_600_000;
    life.setAlarm('later', clock.at, undefined);
    await soon(() => occasions.length === 2);
    expect(occasions[1]?.text).toContain('later');
  });

  it('rings again after a crash, if no turn had told it', async () => {
    const first = world();
    first.life.setAlarm('tea', 1_000_000, undefined);
    await soon(() => first.occasions.length === 1);
    const second = first.reborn();
    await soon(() => second.occasions.length === 1);
    second.occasions[0]?.settle('told');
    const third = second.reborn();
    third.life.setAlarm('sign of life', 1_000_000, undefined);
    await soon(() => third.occasions.length > 0);
    expect(third.occasions[0]?.text).toContain('sign of life');
  });

  it('that is overdue rings at the start', async () => {
    const first = world();
    first.life.setAlarm('tea', 5_000_000, undefined);
    first.clock.at = 6_000_000;
    const second = first.reborn();
    await soon(() => second.occasions.length === 1);
  });

  it('rings again later when its turn fails', async () => {
    const { life, occasions, clock } = world();
    life.setAlarm('tea', 1_000_000, undefined);
    await soon(() => occasions.length === 1);
    occasions[0]?.settle('failed');
    expect(life.snapshot()).toHaveLength(1);
    clock.at += 60_000;
    life.setAlarm('other', 9_000_000_000, undefined);
    await soon(() => occasions.length === 2);
    expect(occasions[1]?.text).toContain('tea');
  });

  it('is told with those that ring at the same moment, up to twenty of them, and all are settled with it', async () => {
    const { life, occasions, snapshots, clock } = world();
    for (let n = 1; n <= 45; n++) life.setAlarm(`note ${n}.`, 2_000_000, undefined);
    await soon(() => snapshots.length > 0);
    expect(snapshots.map((tasks) => tasks.length)).toEqual([45]);
    clock.at = 2_000_000;
    life.setAlarm('the last', 9_000_000_000, undefined);
    await soon(() => occasions.length > 0);
    expect(occasions.map(({ text }) => text.split('\n').length)).toEqual([20, 20, 5]);
    occasions[0]?.settle('told');
    occasions[1]?.settle('failed');
    expect(life.snapshot()).toHaveLength(26);
    clock.at += 60_000;
    occasions[2]?.settle('told');
    await soon(() => occasions.length === 4);
    expect(occasions[3]?.text).toBe(occasions[1]?.text);
  });

  it('in a memory that is in trouble does not end the process, and is looked for again', async () => {
    const { life, snapshots, breakMemory } = world();
    life.setAlarm('tea', 1_000_050, undefined);
    await soon(() => snapshots.length === 1);
    breakMemory();
    await soon(() => told.some((text) => text.startsWith('The alarms could not be read')));
  });

  it('that repeats is set again', async () => {
    const { life, occasions } = world();
    life.setAlarm('tea', 1_000_000, '1h');
    await soon(() => occasions.length === 1);
    occasions[0]?.settle('told');
    expect(life.snapshot()).toMatchObject([{ firesAt: new Date(4_600_000).toISOString() }]);
  });

  it('can be taken back', async () => {
    const { life, snapshots } = world();
    const id = life.setAlarm('tea', 5_000_000, undefined);
    await soon(() => snapshots.length === 1);
    expect(life.cancel(id)).toBe(true);
    expect(life.cancel(id)).toBe(false);
    await soon(() => snapshots.at(-1)?.length === 0);
  });
});

describe('a background task', () => {
  it('tells what it came to', async () => {
    const { life, occasions, snapshots } = world(async (_kind, what) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return `found ${what}`;
    });
    expect(life.background.start('research', 'owls')).toHaveProperty('id');
    await soon(() => occasions.length === 1);
    expect(occasions[0]).toMatchObject({ origin: 'task', text: expect.stringContaining('found owls') });
    await soon(() => snapshots.length === 2);
    expect(snapshots.map((tasks) => tasks.length)).toEqual([1, 0]);
  });

  it('that fails tells why', async () => {
    const { life, occasions } = world(() => Promise.reject(new Error('no such owl')));
    life.background.start('reflect', 'owls');
    await soon(() => occasions.length === 1);
    expect(occasions[0]?.text).toMatch(/has failed:\s+no such owl/);
  });

  it('is one of so many at once, also when they are begun together', () => {
    const { life } = world();
    const started = ['a', 'b', 'c', 'd'].map((what) => life.background.start('research', what));
    expect(started.map((one) => 'id' in one)).toEqual([true, true, false, false]);
    expect(started[2]).toMatchObject({ problem: expect.stringContaining('most at once') });
  });

  it('that is cancelled is over, and its result is dropped', async () => {
    let finish = (_text: string): void => {};
    let signal: AbortSignal | undefined;
    const { life, occasions } = world((_kind, _what, given) => {
      signal = given;
      return new Promise((resolve) => {
        finish = resolve;
      });
    });
    const started = life.background.start('research', 'owls');
    const id = 'id' in started ? started.id : '';
    expect(life.cancel(id)).toBe(true);
    expect(signal?.aborted).toBe(true);
    finish('too late');
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(occasions).toEqual([]);
    expect(life.tasks.recent(5)).toMatchObject([{ status: 'cancelled' }]);
  });

  it('whose end cannot be kept does not end the process', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const { life, breakMemory } = world(() => promise);
    life.background.start('research', 'owls');
    breakMemory();
    resolve('found');
    await soon(() => told.some((text) => text.startsWith('What became of the task')));
  });

  it('that died with its process is known to the next', () => {
    const first = world();
    first.life.background.start('research', 'owls');
    const second = first.reborn();
    expect(second.life.snapshot()).toEqual([]);
    expect(second.life.tasks.recent(5)).toMatchObject([{ status: 'killed' }]);
  });

  it('whose result no turn has told is told by the next process', async () => {
    const first = world(async () => 'found');
    first.life.background.start('research', 'owls');
    await soon(() => first.occasions.length === 1);
    const second = first.reborn();
    await soon(() => second.occasions.length === 1);
    second.occasions[0]?.settle('told');
    expect(second.reborn().life.tasks.untold()).toEqual([]);
  });
});
