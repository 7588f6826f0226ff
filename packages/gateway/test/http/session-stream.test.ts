import type { Session, StoredEvent } from '@plugboard/store';
import { describe, expect, it } from 'vitest';
import type { Gateway } from '../../src/gateway.ts';
import { streamSession } from '../../src/http/session-stream.ts';
import { TIMING, type Timing } from '../../src/http/timing.ts';
import { createFeed } from '../../src/live/feed.ts';
import { silentLogger } from '../../src/log.ts';
import { FakeResponse } from './fake-response.ts';
import { readMessages } from './sse.ts';

/** A gateway that has one session with a log, and nothing else. Reading takes as many rounds as `slowness` says. */
function logOf(slowness: () => number = () => 0) {
  const events: StoredEvent[] = [];
  const feed = createFeed();
  const session = (): Session =>
    ({ id: 's', agent: 'a', lastEvent: events.length, waiting: 0, running: false }) as Session;
  let reads = 0;
  const read = async (_id: string, { after, limit }: { after: number; limit: number }) => {
    reads += 1;
    for (let rounds = slowness(); rounds > 0; rounds--) await new Promise(setImmediate);
    const page = events.slice(after, after + limit);
    for (let rounds = slowness(); rounds > 0; rounds--) await new Promise(setImmediate);
    return page;
  };
  const gateway = {
    feed,
    log: silentLogger,
    store: { log: { read }, sessions: { get: async () => session() } },
    engine: { running: new Map(), line: { position: () => undefined } },
  } as unknown as Gateway;
  const append = (...texts: string[]): void => {
    const added = texts.map((text): StoredEvent => {
      const event = { type: 'notice', text } as const;
      events.push({ sessionId: 's', number: events.length + 1, turnId: undefined, at: 0, event });
      return events.at(-1) as StoredEvent;
    });
    feed.publish('s', added);
  };
  const listen = (after: number, timing: Partial<Timing> = {}): FakeResponse => {
    const outgoing = new FakeResponse();
    const services = { tokenWatch: { watch: () => () => {} }, timing: { ...TIMING, ...timing } } as never;
    const principal = { id: 'p', name: 'p', scopes: ['chat'], hash: '' };
    streamSession({ gateway, principal, services, outgoing: outgoing.response }, session(), after);
    return outgoing;
  };
  return { events, feed, append, listen, reads: () => reads };
}

function numbers({ text }: FakeResponse): number[] {
  return readMessages(text)
    .filter(({ event }) => event === 'event')
    .map(({ id }) => Number(id));
}

const from = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_none, at) => first + at);

/** The same numbers every time. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * sides);
  };
}

async function rounds(count: number): Promise<void> {
  for (let left = count; left > 0; left--) await new Promise(setImmediate);
}

describe('a stream that begins while things are being said', () => {
  it('has no gap and nothing twice, two thousand times', async () => {
    const roll = dice(7);
    for (let run = 0; run < 2_000; run++) {
      const log = logOf(() => roll(3));
      const before = roll(5);
      for (let said = 0; said < before; said++) log.append('before');
      const after = roll(before + 1);
      const streams: FakeResponse[] = [];
      const begins = roll(6);
      for (let step = 0; step < 6; step++) {
        if (step === begins) streams.push(log.listen(after));
        if (roll(2) === 0) log.append(...Array(1 + roll(3)).fill('live'));
        if (roll(2) === 0) await rounds(1);
      }
      const last = (): number => log.events.length;
      for (
        let waited = 0;
        waited < 40 && streams.some((one) => (numbers(one).at(-1) ?? after) < last());
        waited++
      )
        await rounds(1);
      for (const stream of streams) {
        expect(numbers(stream)).toEqual(from(after + 1, last()));
        stream.destroy();
      }
      expect(log.feed.followers).toBe(0);
    }
  });

  it('sends what the store has logged by itself, once it is told of a change', async () => {
    const log = logOf();
    const stream = log.listen(0);
    await rounds(2);
    const event = { type: 'dropped', messageIds: ['m'] } as const;
    log.events.push({ sessionId: 's', number: 1, turnId: undefined, at: 0, event });
    log.feed.changed('s');
    await expect.poll(() => numbers(stream)).toEqual([1]);
    stream.destroy();
  });

  it('reads the log again when what it is told does not join up', async () => {
    const log = logOf();
    const stream = log.listen(0);
    await rounds(2);
    log.append('one');
    await rounds(2);
    log.events.push({
      sessionId: 's',
      number: 2,
      turnId: undefined,
      at: 0,
      event: { type: 'notice', text: 'nobody was told' },
    });
    log.append('three');
    await rounds(4);
    expect(numbers(stream)).toEqual([1, 2, 3]);
    stream.destroy();
  });
});

describe('readers of a long log', () => {
  it('read one page in a round of the event loop, however many readers there are', async () => {
    const log = logOf();
    log.append(...Array(5_000).fill('said before'));
    const streams = Array.from({ length: 5 }, () => log.listen(0));
    for (let round = 0; round < 80; round++) {
      const before = log.reads();
      await rounds(1);
      expect(log.reads() - before).toBeLessThanOrEqual(1);
    }
    for (const stream of streams) {
      expect(numbers(stream)).toEqual(from(1, 5_000));
      stream.destroy();
    }
  });
});

describe('what was said', () => {
  it.each([
    'one\nevent: status\ndata: {"forged":true}\n\n',
    'one\rid: 99\rdata: forged\r\r',
    'one\r\n\r\nevent: forged\r\n\r\n',
    'data: forged',
    ': comment',
    '\u2028event: x\u2029data: y',
    'retry: 1\n',
    '\0\ufeff',
    '\ud800',
  ])('cannot pretend to be a field of the stream: %j', async (text) => {
    const log = logOf();
    log.append(text);
    const stream = log.listen(0);
    await rounds(3);
    log.append(text);
    await rounds(3);
    const heard = readMessages(stream.text);
    expect(heard.map(({ event }) => event)).toEqual(['status', 'event', 'event']);
    for (const { data } of heard.slice(1))
      expect(JSON.parse(data)).toMatchObject({ event: { type: 'notice', text } });
    expect(heard.at(-1)?.id).toBe('2');
    stream.destroy();
  });
});

describe('a reader that takes nothing', () => {
  it('keeps little in memory, is cut off after a while, and leaves others alone', async () => {
    const log = logOf();
    const blocked = log.listen(0, { stallMs: 50 });
    blocked.blocked = true;
    const other = log.listen(0);
    for (let said = 0; said < 200; said++) {
      log.append('x'.repeat(50_000));
      await rounds(1);
    }
    await rounds(5);
    expect(blocked.writableLength).toBeLessThan(1_048_576);
    expect(numbers(other)).toEqual(from(1, 200));
    await expect.poll(() => blocked.destroyed).toBe(true);
    expect(log.feed.followers).toBe(1);
    other.destroy();
  });

  it('gets everything when it reads again in time, however much that is', async () => {
    const log = logOf();
    const slow = log.listen(0);
    slow.blocked = true;
    for (let said = 0; said < 50; said++) log.append('x'.repeat(100_000));
    for (let read = 0; read < 200 && numbers(slow).length < 50; read++) {
      await rounds(2);
      slow.drain();
    }
    expect(numbers(slow)).toEqual(from(1, 50));
    slow.destroy();
  });

  it('gets a single event of any size', async () => {
    const log = logOf();
    const live = log.listen(0);
    await rounds(3);
    live.blocked = true;
    log.append('x'.repeat(5_000_000));
    await rounds(3);
    const later = log.listen(0);
    later.blocked = true;
    await rounds(3);
    for (const stream of [live, later]) {
      expect(stream.destroyed).toBe(false);
      expect(numbers(stream)).toEqual([1]);
      stream.destroy();
    }
  });
});

describe('a number that cannot be', () => {
  it.each([Number.NaN, -1, 1.5, 3, 2 ** 60, Infinity])(
    'of %s begins anew at the end, and says so',
    async (after) => {
      const log = logOf();
      log.append('one', 'two');
      const stream = log.listen(after);
      await rounds(3);
      log.append('three');
      await rounds(3);
      const [first] = readMessages(stream.text);
      expect(first).toMatchObject({ event: 'resync', data: '{"last":2}' });
      expect(numbers(stream)).toEqual([3]);
      stream.destroy();
    },
  );
});
