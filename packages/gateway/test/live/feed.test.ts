import type { StoredEvent } from '@plugboard/store';
import { describe, expect, it, vi } from 'vitest';
import { createFeed, type Feed } from '../../src/live/feed.ts';

const event = (number: number): StoredEvent => ({
  sessionId: 's',
  number,
  turnId: undefined,
  at: 0,
  event: { type: 'notice', text: '' },
});

/** Resolves when the feed has told its followers of all that was published so far. */
function allTold(feed: Feed): Promise<void> {
  return new Promise((resolve) => {
    const leave = feed.follow('last', {
      onEvents() {
        leave();
        resolve();
      },
      onStatus() {},
    });
    feed.publish('last', [event(1)]);
  });
}

function follower() {
  const numbers: number[][] = [];
  const seen = { numbers, statuses: 0 };
  return {
    seen,
    onEvents: (events: readonly StoredEvent[]) => void numbers.push(events.map(({ number }) => number)),
    onStatus: () => {
      seen.statuses += 1;
    },
  };
}

describe('the feed', () => {
  it('tells followers of one session what is said in it, together and in order', async () => {
    const feed = createFeed();
    const [one, other] = [follower(), follower()];
    feed.follow('s', one);
    feed.follow('t', other);
    feed.publish('s', [event(1), event(2)]);
    feed.publish('s', [event(3)]);
    await allTold(feed);
    expect(one.seen.numbers.flat()).toEqual([1, 2, 3]);
    expect(other.seen.numbers).toEqual([]);
  });

  it('gives all followers the same array, so that it is encoded once', async () => {
    const feed = createFeed();
    const arrays: unknown[] = [];
    for (const _reader of [1, 2])
      feed.follow('s', { onEvents: (events) => void arrays.push(events), onStatus: () => {} });
    feed.publish('s', [event(1)]);
    await allTold(feed);
    expect(arrays).toHaveLength(2);
    expect(arrays[0]).toBe(arrays[1]);
  });

  it('forgets who has left, once', async () => {
    const feed = createFeed();
    const one = follower();
    const leave = feed.follow('s', one);
    expect(feed.followers).toBe(1);
    leave();
    leave();
    feed.publish('s', [event(1)]);
    const changed = new Promise((resolve) => feed.watch(resolve));
    feed.changed('s');
    await Promise.all([allTold(feed), changed]);
    expect([feed.followers, one.seen.numbers, one.seen.statuses]).toEqual([0, [], 0]);
  });

  it('tells of changes to followers of the session and to those who watch all', async () => {
    const feed = createFeed();
    const one = follower();
    const watched: string[] = [];
    feed.follow('s', one);
    const leave = feed.watch((id) => void watched.push(id));
    feed.changed('s');
    feed.changed('t');
    feed.changed('s');
    await vi.waitFor(() => expect(watched).toEqual(['s', 't']));
    expect(one.seen.statuses).toBe(1);
    leave();
    feed.changed('s');
    await vi.waitFor(() => expect(one.seen.statuses).toBe(2));
    expect(watched).toEqual(['s', 't']);
  });

  it('can take any number of events at once', async () => {
    const feed = createFeed();
    const one = follower();
    feed.follow('s', one);
    feed.publish(
      's',
      Array.from({ length: 300_000 }, (_none, at) => event(at + 1)),
    );
    await allTold(feed);
    expect(one.seen.numbers.flat()).toHaveLength(300_000);
  });
});
