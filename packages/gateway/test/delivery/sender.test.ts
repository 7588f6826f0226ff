import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Resolved, SendError } from '../../src/channels/channel.ts';
import { sleep } from '../../src/clock.ts';
import { REPLY_EXPIRES_MS } from '../../src/delivery/plan.ts';
import { createFakeClock } from '../fake-clock.ts';
import { createFakeChannel, hang } from './fake-channel.ts';
import { openPost } from './post.ts';

describe('a delivery', () => {
  it('is marked as being sent before it is, and as sent with the name that the platform gave it', async () => {
    const seen: unknown[] = [];
    const channel = createFakeChannel({ on: { send: async ({ id }) => seen.push(await post.find(id)) } });
    const post = openPost([channel]);
    await post.open();
    const { id } = await post.add('one');
    await post.rest();
    expect(seen).toMatchObject([{ state: 'sending', attempts: 1 }]);
    expect(await post.find(id)).toMatchObject({ state: 'sent', platformId: 'p1', attempts: 1 });
  });

  it('tells the channel when it was created, for each attempt and when the channel is asked about it', async () => {
    const given: (number | undefined)[] = [];
    const fake = createFakeChannel({ on: { send: () => Promise.reject(new SendError('unknown', 'cut')) } });
    const { resolve, send } = fake;
    const channel = {
      ...fake,
      send: (...call: Parameters<typeof send>) => {
        given.push(call[2].createdAt);
        return send(...call);
      },
      resolve: async (...[, , { createdAt }]: Parameters<NonNullable<typeof resolve>>) => {
        given.push(createdAt);
        return given.length < 4 ? ('pending' as const) : {};
      },
    };
    const post = openPost([channel]);
    await post.open();
    const { expiresAt } = await post.add('one');
    await post.rest();
    expect(given).toEqual(Array.from({ length: 4 }, () => expiresAt - REPLY_EXPIRES_MS));
  });

  it('that certainly was not sent is tried again, and keeps its place waiting but no other', async () => {
    const busy = (place: string, nth: number): void => {
      if (place === 'hall' && nth < 4) throw new SendError('later', 'busy');
    };
    const channel = createFakeChannel({ on: { send: ({ place }, nth) => busy(place, nth) } });
    const post = openPost([channel]);
    const { id } = await post.add('one');
    await post.add('two');
    await post.open();
    await post.add('other', 'yard');
    await post.rest();
    expect(channel.texts('hall')).toEqual(['one', 'two']);
    expect(channel.texts()[0]).toBe('other');
    expect((await post.find(id))?.attempts).toBe(3);
  });

  it('waits as long as the platform says, while other places go on', async () => {
    const send = ({ place }: { place: string }, nth: number): void => {
      if (place === 'hall' && nth === 1) throw new SendError('later', '429', { afterMs: 500 });
    };
    const clock = createFakeClock();
    const channel = createFakeChannel({ clock, on: { send } });
    const post = openPost([channel], clock);
    await post.open();
    await post.add('one');
    await clock.passUntil(() => channel.calls.length === 1, 'the first call');
    await post.add('other', 'yard');
    await post.rest();
    const [first, other, second] = channel.made('send');
    expect([other?.text, second?.text]).toEqual(['other', 'one']);
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(500);
  });

  it('makes the whole channel wait when the platform says so, and only that one', async () => {
    const send = (_: unknown, nth: number): void => {
      if (nth === 1) throw new SendError('later', '429', { afterMs: 500, scope: 'channel' });
    };
    const clock = createFakeClock();
    const channel = createFakeChannel({ clock, on: { send } });
    const calm = createFakeChannel({ clock, name: 'calm' });
    const post = openPost([channel, calm], clock);
    await post.open();
    await post.add('one');
    await clock.passUntil(() => channel.calls.length === 1, 'the first call');
    const other = await post.add('other', 'yard');
    await post.add('elsewhere', 'attic', { channel: 'calm' });
    await post.rest();
    const [first, ...rest] = channel.made('send');
    expect((calm.calls[0]?.at ?? Infinity) - (first?.at ?? 0)).toBeLessThan(450);
    expect(rest).toHaveLength(2);
    for (const call of rest) expect(call.at - (first?.at ?? 0)).toBeGreaterThanOrEqual(500);
    // To wait is not to try.
    expect((await post.find(other.id))?.attempts).toBe(1);
  });

  it('that the platform will never take has failed at once, and stands in nobody’s way', async () => {
    const send = ({ text }: { text: string }): void => {
      if (text === 'one') throw new SendError('never', 'blocked');
    };
    const channel = createFakeChannel({ on: { send } });
    const post = openPost([channel]);
    await post.open();
    await post.add('one');
    await post.add('two');
    await post.rest();
    expect(await post.states()).toEqual(['failed', 'sent']);
    expect(channel.made('send')).toHaveLength(2);
    expect(post.warnings).toEqual(['A delivery was not sent: blocked failed']);
  });

  it('that is never sent is told to the operator and, with the next answer, to its people', async () => {
    const send = (): void => {
      throw new SendError('later', 'wait', { afterMs: 60_000 });
    };
    const post = openPost([createFakeChannel({ on: { send } })]);
    await post.open();
    const { sessionId } = await post.add('one');
    await post.clock.pass(16 * 60_000);
    await post.clock.passUntil(async () => (await post.states())[0] === 'expired', 'it to expire');
    await post.clock.passUntil(() => post.doubts.length > 0, 'the doubt');
    expect(post.doubts).toEqual([sessionId]);
    expect(post.warnings.at(-1)).toBe('A delivery was not sent in time: wait undefined');
  });

  it('that shows that the key is refused stops the channel', async () => {
    const send = (): void => {
      throw new SendError('never', 'bad token', { stopsChannel: true });
    };
    const channel = createFakeChannel({ on: { send } });
    const post = openPost([channel]);
    await post.open();
    await post.add('one');
    await post.clock.passUntil(() => post.stopped.length > 0, 'the channel to be stopped');
    await post.add('two');
    await post.clock.pass(60_000);
    expect(post.stopped).toEqual(['fake']);
    // The message was refused for the key alone: it waits for another one.
    expect(await post.states()).toEqual(['pending', 'pending']);
    expect(channel.made('send')).toHaveLength(1);
  });

  it.each([
    ['an error of any kind', new Error('socket hang up')],
    ['one that says so', new SendError('unknown', 'cut off')],
  ])('that may have arrived (%s) is left to a person, and what follows is sent', async (_what, error) => {
    const send = (_: unknown, nth: number): void => {
      if (nth === 1) throw error;
    };
    const channel = createFakeChannel({ without: ['resolve'], on: { send } });
    const post = openPost([channel]);
    await post.open();
    await post.add('one');
    await post.add('two');
    await post.rest();
    expect(await post.states()).toEqual(['unknown', 'sent']);
    expect(channel.texts()).toEqual(['two']);
  });

  it.each([
    [{ platformId: 'p9' }, ['sent', 'sent'], ['two']],
    ['pending', ['sent', 'sent'], ['one', 'two']],
    ['unknown', ['unknown', 'sent'], ['two']],
  ] as const)('that may have arrived is what the channel finds: %s', async (found, states, texts) => {
    const send = (_: unknown, nth: number): void => {
      if (nth === 1) throw new SendError('unknown', 'cut off');
    };
    // The question fails as well at first.
    const resolve = (_: unknown, nth: number): Resolved => {
      if (nth === 1) throw new Error('no connection');
      return found;
    };
    const channel = createFakeChannel({ on: { send, resolve } });
    const post = openPost([channel]);
    await post.open();
    await post.add('one');
    await post.add('two');
    await post.rest();
    expect(await post.states()).toEqual(states);
    // Nothing is sent to the place before that is known.
    expect(channel.texts()).toEqual(texts);
    expect(channel.made('resolve')).toHaveLength(2);
  });

  it('that may have arrived is sent again where the channel says so', async () => {
    const send = (_: unknown, nth: number): void => {
      if (nth === 1) throw new SendError('unknown', 'cut off');
    };
    const channel = createFakeChannel({
      without: ['resolve'],
      on: { send },
      limits: { onUnknown: 'resend' },
    });
    const post = openPost([channel]);
    await post.open();
    await post.add('one');
    await post.rest();
    expect([await post.states(), channel.texts()]).toEqual([['sent'], ['one']]);
  });

  it('to a channel that does not answer is given up after a while, and holds up no other', async () => {
    const aborted: boolean[] = [];
    const clock = createFakeClock();
    const channel = createFakeChannel({
      clock,
      on: { send: ({ place }) => (place === 'hall' ? hang() : undefined) },
    });
    const watched = {
      ...channel,
      send: ((place, body, context) => {
        context.signal.addEventListener('abort', () => aborted.push(place === 'hall'));
        return channel.send(place, body, context);
      }) as typeof channel.send,
    };
    const post = openPost([watched], clock);
    await post.open();
    await post.add('one');
    await post.add('other', 'yard');
    await post.rest();
    const [hung, other] = channel.made('send');
    expect((other?.at ?? Infinity) - (hung?.at ?? 0)).toBeLessThan(500);
    expect(await post.states()).toEqual(['unknown', 'sent']);
    expect(aborted).toContain(true);
  });

  it('of a channel that hangs holds up no other channel', async () => {
    const bad = createFakeChannel({
      name: 'bad',
      limits: { parallel: 1 },
      on: { send: hang, resolve: hang },
    });
    const good = createFakeChannel({ name: 'good' });
    const post = openPost([bad, good]);
    await post.open();
    for (let n = 0; n < 20; n += 1) await post.add(`bad ${n}`, `place ${n}`, { channel: 'bad' });
    for (let n = 0; n < 20; n += 1) await post.add(`good ${n}`, `place ${n}`, { channel: 'good' });
    await post.clock.pass(1_000);
    expect(good.shown.size).toBe(20);
    expect(bad.calls).toHaveLength(1);
  });
});

describe('an outbox', () => {
  it('is not touched before its channel is ready', async () => {
    const channel = createFakeChannel();
    const post = openPost([channel]);
    const { id } = await post.add('one');
    await post.delivery.start();
    post.delivery.wake('fake');
    await post.clock.pass(60_000);
    expect(await post.find(id)).toMatchObject({ state: 'pending', attempts: 0 });
    await post.delivery.ready('fake');
    await post.rest();
    expect(await post.find(id)).toMatchObject({ state: 'sent', attempts: 1 });
  });

  it('sends nothing after an outage that was good for a shorter time', async () => {
    const channel = createFakeChannel();
    const post = openPost([channel]);
    for (let n = 0; n < 100; n += 1) await post.add(`${n}`, `place ${n % 10}`);
    await post.clock.pass(3_600_000);
    await post.add('fresh');
    await post.open();
    await post.rest();
    const states = await post.states();
    expect(states.filter((state) => state === 'expired')).toHaveLength(100);
    expect(channel.texts()).toEqual(['fresh']);
  });

  it('gives up what cannot be sent in its time', async () => {
    const send = (): void => {
      throw new SendError('later', 'no connection');
    };
    const channel = createFakeChannel({ on: { send } });
    const post = openPost([channel]);
    await post.open();
    await post.add('one');
    await post.clock.passUntil(() => channel.calls.length > 2, 'some attempts');
    await post.clock.pass(15 * 60_000 + 30_000);
    expect(await post.states()).toEqual(['expired']);
  });

  it('has no more under way at once than the channel says', async () => {
    let now = 0;
    let most = 0;
    const send = async (): Promise<void> => {
      now += 1;
      most = Math.max(most, now);
      await sleep(clock, 5);
      now -= 1;
    };
    const clock = createFakeClock();
    const channel = createFakeChannel({ on: { send }, limits: { parallel: 3 } });
    const post = openPost([channel], clock);
    await post.open();
    await Promise.all(Array.from({ length: 30 }, (_, n) => post.add(`${n}`, `place ${n}`)));
    await post.rest();
    expect(most).toBe(3);
  });

  it('is emptied of what can be sent when the gateway ends', async () => {
    const clock = createFakeClock();
    const channel = createFakeChannel({ on: { send: () => sleep(clock, 10) } });
    const post = openPost([channel], clock);
    await post.open();
    for (const text of ['one', 'two', 'three']) await post.add(text);
    const stopped = post.delivery.stop();
    await clock.pass(100);
    await stopped;
    expect(channel.texts()).toEqual(['one', 'two', 'three']);
  });

  it('does not keep the gateway from ending', async () => {
    const channel = createFakeChannel({ on: { send: hang } });
    const post = openPost([channel]);
    await post.open();
    await post.add('one');
    await post.add('two');
    await post.clock.passUntil(() => channel.calls.length === 1, 'the first call');
    const stopped = post.delivery.stop();
    await post.clock.pass(5_000);
    await stopped;
    expect(await post.states()).toEqual(['sending', 'pending']);
  });
});

describe('what an earlier gateway was sending', () => {
  it.each([
    [{ platformId: 'p9' }, 'sent', 0],
    ['pending', 'sent', 1],
    ['unknown', 'unknown', 0],
  ] as const)('is looked for when the channel is ready: %s', async (found, state, sends) => {
    const channel = createFakeChannel({ on: { resolve: () => found } });
    const post = openPost([channel]);
    const { id } = await post.add('one');
    await post.store.outbox.take({ channel: 'fake', node: 'north', limit: 1 });
    await post.add('two');
    await post.delivery.start();
    expect(channel.calls).toEqual([]);
    expect((await post.find(id))?.state).toBe('unknown');
    await post.delivery.ready('fake');
    await post.rest();
    const settled = await post.find(id);
    expect(settled?.state).toBe(state);
    if (typeof found === 'object') expect(settled?.platformId).toBe(found.platformId);
    expect(channel.made('send')).toHaveLength(sends + 1);
  });

  it('is left to a person where nobody can tell, and not resolved again by every start', async () => {
    const channel = createFakeChannel({ without: ['resolve'] });
    const post = openPost([channel]);
    await post.add('one');
    await post.store.outbox.take({ channel: 'fake', node: 'north', limit: 1 });
    await post.open();
    await post.rest();
    expect(await post.states()).toEqual(['unknown']);
    expect(channel.calls).toEqual([]);
  });
});

describe('a delivery with a text as a file', () => {
  it('gives the channel a file that is there for the call alone, at each attempt', async () => {
    const seen: (readonly [string | undefined, string])[] = [];
    let path = '';
    const channel = createFakeChannel();
    const { send } = channel;
    channel.send = async (place, body, context) => {
      const [file] = body.media;
      path = file?.path ?? '';
      seen.push([file?.name, readFileSync(path, 'utf8')]);
      if (seen.length === 1) throw new SendError('later', 'busy');
      return send(place, body, context);
    };
    const post = openPost([channel]);
    await post.open();
    await post.add('', 'hall', { textFile: 'all of it' });
    await post.rest();
    expect(seen).toEqual([
      ['answer.md', 'all of it'],
      ['answer.md', 'all of it'],
    ]);
    expect(existsSync(path)).toBe(false);
  });
});
