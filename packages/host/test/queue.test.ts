import type { Event } from '@plugboard/protocol';
import { expect, it } from 'vitest';
import { createQueue, pushEvents, runOf } from '../src/run/queue.ts';

const MESSAGE: Event = { type: 'message', text: 'hi', media: [] };
const END: Event = { type: 'end', outcome: 'success', text: 'hi' };

const turn = () => {
  const queue = createQueue({ onDrained: () => {}, onAbandoned: () => {} });
  return { queue, run: runOf(queue) };
};

async function readAll(run: AsyncIterable<Event>): Promise<Event[]> {
  const events: Event[] = [];
  for await (const event of run) events.push(event);
  return events;
}

const nextRound = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('somebody who wanted the result alone and reads after all is told the end', async () => {
  for (const late of [true, false]) {
    const { queue, run } = turn();
    void run.result;
    if (late) await nextRound();
    pushEvents(queue, [MESSAGE]);
    pushEvents(queue, [MESSAGE, END]);
    await nextRound();
    expect(await readAll(run)).toEqual([END]);
  }
});

it('a second reader is told that there is one already', async () => {
  const { queue, run } = turn();
  const first = readAll(run);
  await expect(readAll(run)).rejects.toThrow('can be read only once');
  expect(() => run.batches()).toThrow('can be read only once');
  pushEvents(queue, [MESSAGE, END]);
  expect(await first).toEqual([MESSAGE, END]);
});

it('two who ask for the next at once are both answered, in order', async () => {
  const { queue, run } = turn();
  const events = run[Symbol.asyncIterator]();
  const asked = [events.next(), events.next(), events.next()];
  pushEvents(queue, [MESSAGE]);
  await nextRound();
  pushEvents(queue, [END]);
  expect(await Promise.all(asked)).toEqual([
    { value: MESSAGE, done: false },
    { value: END, done: false },
    { value: undefined, done: true },
  ]);
});

it('tells its owner when all was taken, and when the reader leaves before the end', async () => {
  const told: string[] = [];
  const queue = createQueue({ onDrained: () => told.push('drained'), onAbandoned: () => told.push('left') });
  pushEvents(queue, [MESSAGE, MESSAGE]);
  for await (const _ of runOf(queue)) {
    if (told.length > 0) break;
  }
  expect(told).toEqual(['drained', 'left']);
  pushEvents(queue, [MESSAGE]);
  expect(told).toEqual(['drained', 'left', 'drained']);
});
