import { onTestEnd, until } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import { createStartQueue, type StartQueueOptions } from '../../src/agents/start-queue.ts';

/** A queue of names that records which of them were started. */
function createQueue(options: Partial<StartQueueOptions<string>> = {}) {
  const started: string[] = [];
  const queue = createStartQueue<string>({
    together: 2,
    room: () => 8,
    lookMs: 5,
    ...options,
    start(name) {
      started.push(name);
      return options.start?.(name) ?? true;
    },
  });
  onTestEnd(() => queue.close());
  const addAll = (...names: string[]): void => {
    for (const name of names) queue.add(name);
  };
  return { queue, started, addAll };
}

it('a start queue starts two at a time, and the next one when one is settled', () => {
  const { queue, started, addAll } = createQueue();
  addAll('a', 'b', 'c', 'd');
  expect(started).toEqual(['a', 'b']);
  queue.settle('b');
  expect(started).toEqual(['a', 'b', 'c']);
  queue.settle('b');
  expect(started).toEqual(['a', 'b', 'c']);
  queue.settle('a');
  expect(started).toEqual(['a', 'b', 'c', 'd']);
});

it('a start queue does not wait for items that have nothing to start', () => {
  const { started, addAll } = createQueue({ start: (name) => name === 'c' });
  addAll('a', 'b', 'c', 'd');
  expect(started).toEqual(['a', 'b', 'c', 'd']);
});

it('a start queue starts no item twice that waits or is starting', () => {
  const { queue, started, addAll } = createQueue({ together: 1 });
  addAll('a', 'b', 'a', 'b');
  queue.settle('a');
  queue.settle('b');
  expect(started).toEqual(['a', 'b']);
});

it('a start queue starts no item that was settled while it waited', () => {
  const { queue, started, addAll } = createQueue({ together: 1 });
  addAll('a', 'b', 'c');
  queue.settle('b');
  queue.settle('a');
  expect(started).toEqual(['a', 'c']);
});

it('a start queue waits until there is room', async () => {
  let room = 0;
  const { started, addAll } = createQueue({ room: () => room });
  addAll('a', 'b');
  expect(started).toEqual([]);
  room = 1;
  await until(() => started.length > 0, 'the first to be started');
  expect(started).toEqual(['a']);
});

it('a start queue that is closed starts nothing more', () => {
  const { queue, started, addAll } = createQueue({ together: 1 });
  addAll('a', 'b');
  queue.close();
  queue.settle('a');
  expect(started).toEqual(['a']);
});
