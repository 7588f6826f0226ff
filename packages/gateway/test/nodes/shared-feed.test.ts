import type { StoredEvent } from '@plugboard/store';
import { until } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import { createFeed } from '../../src/live/feed.ts';
import { silentLogger } from '../../src/log.ts';
import { publishRemote, shareFeed } from '../../src/nodes/shared-feed.ts';

const eventAt = (number: number): StoredEvent => ({
  ...{ sessionId: 'a', number, turnId: undefined, at: 0 },
  event: { type: 'notice', text: `${number}` },
});

/** A log of one session, and how often it was read. */
function createLog(last: number) {
  const reads: number[] = [];
  const log = {
    async read(_id: string, { after, limit }: { after: number; limit: number }) {
      reads.push(after);
      return Array.from({ length: Math.min(limit, last - after) }, (_, n) => eventAt(after + 1 + n));
    },
    note: () => Promise.reject(new Error('not here')),
  };
  return { reads, context: { store: { log }, log: silentLogger } };
}

it('events of another gateway are read once for all followers of a session, and only for those', async () => {
  const feed = createFeed();
  const { reads, context } = createLog(1_300);
  const seen: number[][] = [[], []];
  for (const numbers of seen)
    feed.follow('a', {
      onEvents: (events) => void numbers.push(...events.map(({ number }) => number)),
      onStatus() {},
    });
  publishRemote(feed, { events: { a: [3, 1_300], b: [1, 9] } }, context);
  await until(() => seen.every((numbers) => numbers.at(-1) === 1_300), 'both followers have all');
  expect(seen[0]).toEqual(Array.from({ length: 1_298 }, (_, n) => n + 3));
  expect(seen[1]).toEqual(seen[0]);
  expect(reads).toEqual([2, 514, 1_026]);
});

it('what is published here is news to the others, and what comes from them is not', async () => {
  const told: unknown[] = [];
  const own = createFeed();
  const feed = shareFeed(own, {
    events: (...range) => void told.push(range),
    changed: (id) => void told.push(id),
    waiting() {},
    deliveries() {},
    work() {},
  });
  const changes: string[] = [];
  feed.watch((id) => void changes.push(id));
  feed.publish('a', [eventAt(4), eventAt(5)]);
  feed.publish('a', []);
  feed.changed('b');
  publishRemote(own, { events: { c: [1, 2] }, changed: ['d'] }, createLog(2).context);
  await until(() => changes.length === 3, 'the changes');
  expect(told).toEqual([['a', 4, 5], 'b']);
  expect(changes.sort()).toEqual(['b', 'c', 'd']);
});
