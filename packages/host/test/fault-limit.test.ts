import { type Event, faultEvent } from '@plugboard/protocol';
import { expect, it } from 'vitest';
import { createQueue, pushEvents, runOf } from '../src/run/queue.ts';

const fault = (): Event => faultEvent('invalid-json', 'This is not a frame.', 'x');
const END: Event = { type: 'end', outcome: 'success', text: '' };

it('passes on a hundred faults of a turn, and counts the others', async () => {
  const queue = createQueue({ onDrained() {}, onAbandoned() {} });
  for (let number = 0; number < 5_000; number += 1) {
    pushEvents(queue, [fault(), { type: 'progress', text: String(number) }, fault()]);
  }
  pushEvents(queue, [fault(), END]);
  const events: Event[] = [];
  for await (const event of runOf(queue)) events.push(event);
  const faults = events.filter((event) => event.type === 'fault');
  expect(faults).toHaveLength(101);
  expect(faults.at(-1)).toMatchObject({
    fault: { code: 'too-many-faults', message: '9901 more faults of this turn were counted and left out.' },
  });
  expect(events.filter(({ type }) => type === 'progress')).toHaveLength(5_000);
  expect(events.at(-1)).toBe(END);
});

it('says nothing of faults that were all passed on', async () => {
  const queue = createQueue({ onDrained() {}, onAbandoned() {} });
  pushEvents(
    queue,
    Array.from({ length: 100 }, () => fault()),
  );
  pushEvents(queue, [END]);
  const events: Event[] = [];
  for await (const event of runOf(queue)) events.push(event);
  expect(events.map(({ type }) => type)).toEqual([...Array(100).fill('fault'), 'end']);
});

it('reports that all events were taken when every fault of a batch was left out', () => {
  let drained = 0;
  const queue = createQueue({ onDrained: () => (drained += 1), onAbandoned() {} });
  void runOf(queue).batches().next();
  pushEvents(
    queue,
    Array.from({ length: 101 }, () => fault()),
  );
  pushEvents(queue, [fault()]);
  expect(drained).toBe(0);
  expect(queue.waiting).toHaveLength(100);
  queue.waiting = [];
  pushEvents(queue, [fault()]);
  expect(drained).toBe(1);
});
