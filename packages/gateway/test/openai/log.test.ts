import { setImmediate as breathe } from 'node:timers/promises';
import type { StoredEvent } from '@plugboard/store';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { followLog } from '../../src/http/openai/turn/log.ts';
import { createFeed } from '../../src/live/feed.ts';
import { gather } from './client.ts';

/** A log that grows, and tells of it or forgets to. */
function createLog() {
  const feed = createFeed();
  const events: StoredEvent[] = [];
  const read = async (_id: string, { after, limit }: { after: number; limit: number }) => {
    const page = events.filter(({ number }) => number > after).slice(0, limit);
    await breathe();
    return page;
  };
  const append = (count: number, told: boolean): void => {
    const added = Array.from({ length: count }, (_, at): StoredEvent => {
      const number = events.length + at + 1;
      return { sessionId: 's', number, turnId: undefined, at: 0, event: { type: 'notice', text: '' } };
    });
    events.push(...added);
    if (told) feed.publish('s', added);
  };
  return { feed, store: { log: { read } } as never, append };
}

describe('the log of a session that is followed', () => {
  it('gives every event once and in order, however it grows', async () => {
    const growth = fc.array(fc.record({ count: fc.integer({ min: 1, max: 600 }), told: fc.boolean() }), {
      minLength: 1,
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(growth, async (steps) => {
        const log = createLog();
        const gone = new AbortController();
        const total = steps.reduce((sum, { count }) => sum + count, 1);
        const numbers: number[] = [];
        const reading = (async () => {
          for await (const batch of followLog(log, 's', 0, gone.signal)) {
            for (const { number } of batch) numbers.push(number);
            if (numbers.length >= total) return;
          }
        })();
        for (const { count, told } of steps) {
          log.append(count, told);
          await breathe();
        }
        // What nobody told of shows with the next thing that is told.
        log.append(1, true);
        await reading;
        expect(numbers).toEqual(Array.from({ length: total }, (_, at) => at + 1));
        expect(log.feed.followers).toBe(0);
      }),
      { numRuns: 60 },
    );
  });

  it('ends with its signal', async () => {
    const log = createLog();
    const gone = new AbortController();
    const reading = gather(followLog(log, 's', 0, gone.signal));
    await breathe();
    gone.abort();
    await reading;
    expect(log.feed.followers).toBe(0);
  });
});
