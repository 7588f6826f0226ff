import { expect, it } from 'vitest';
import { createFeed } from '../src/run/feed.ts';

it('gives what came before and what comes later, in order, and ends when it is closed', async () => {
  const feed = createFeed<number>();
  feed.add(1);
  const items: number[] = [];
  const reading = (async () => {
    for await (const item of feed.iterate()) items.push(item);
  })();
  feed.add(2);
  await new Promise((resolve) => setImmediate(resolve));
  feed.add(3);
  feed.close();
  await reading;
  expect(items).toEqual([1, 2, 3]);
});

it('is wanted from the moment somebody loops over it, of whom there may be several', async () => {
  const feed = createFeed<string>();
  expect(feed.wanted()).toBe(false);
  const [first, second] = [feed.iterate(), feed.iterate()];
  expect(feed.wanted()).toBe(true);
  const asked = [first.next(), second.next()];
  await new Promise((resolve) => setImmediate(resolve));
  feed.add('x');
  feed.close();
  const answers = await Promise.all(asked);
  expect(answers.map(({ done }) => done).sort()).toEqual([false, true]);
});
