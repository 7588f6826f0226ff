import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { SendError } from '../../src/channels/channel.ts';
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
    const channel = createFakeChannel({ on: { send } });
    const post = openPost([channel]);
    await post.open();
    await post.add('one');
    await until(() => channel.calls.length === 1, 'the first call');
    await post.add('other', 'yard');
    await post.rest();
    const [first, other, second] = channel.made('send');
    expect([other?.text, second?.text]).toEqual(['other', 'one']);
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(500);
    expect((other?.at ?? 0) - (first?.at ?? 0)).toBeLessThan(450);
  });

  it('makes the whole channel wait when the platform says so, and only that one', async () => {
    const send = (_: unknown, nth: number): void => {
      if (nth === 1) throw new SendError('later', '429', { afterMs: 500, scope: 'channel' });
    };
    const channel = createFakeChannel({ on: { send } });
    const calm = createFakeChannel({ name: 'calm' });
    const post = openPost([channel, calm]);
    await post.open();
    await post.add('one');
    await until(() => channel.calls.length === 1, 'the first call');
    const other = await post.add('other', 'yard');
    await post.add('elsewhere', 'attic', { channel: 'calm' });
    await until(() => calm.calls.length === 1, 'the other channel', 450);
    await post.rest();
    const [first, ...rest] = channel.made('send');
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
    expect(post.warnings).toEqual(['Something was not delivered: blocked failed']);
  });

  it('that shows that the key is refused stops the channel', async () => {
    const send = (): void => {
      throw new SendError('never', 'bad token', { stopsChannel: true });
    };
    const channel = createFakeChannel({ on: { send } });
    const post = openPost([channel]);
    await post.open();
    await post.add('one');
    await until(() => post.stopped.length > 0, 'the channel to be stopped');
    await post.add('two');
    await sleep(60);
    expect(post.stopped).toEqual(['fake']);
    expect(await post.states()).toEqual(['failed', 'pending']);
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
    ['sent', ['sent', 'sent'], ['two']],
    ['pending', ['sent', 'sent'], ['one', 'two']],
    ['unknown', ['unknown', 'sent'], ['two']],
  ] as const)('that may have arrived is what the channel finds: %s', async (found, states, texts) => {
    const send = (_: unknown, nth: number): void => {
      if (nth === 1) throw new SendError('unknown', 'cut off');
    };
    // The question fails as well at first.
    const resolve = (_: unknown, nth: number): string => {
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
    const channel = createFakeChannel({
      on: { send: ({ place }) => (place === 'hall' ? hang() : undefined) },
    });
    const watched = {
      ...channel,
      send: ((place, body, context) => {
        context.signal.addEventListener('abort', () => aborted.push(place === 'hall'));
        return channel.send(place, body, context);
      }) as typeof channel.send,
    };
    const post = openPost([watched], { sendMs: 600 });
    await post.open();
    await post.add('one');
    await post.add('other', 'yard');
    await until(() => channel.texts().includes('other'), 'the other place', 500);
    await post.rest();
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
    const post = openPost([bad, good], { sendMs: 5_000 });
    await post.open();
    for (let n = 0; n < 20; n += 1) await post.add(`bad ${n}`, `place ${n}`, { channel: 'bad' });
    for (let n = 0; n < 20; n += 1) await post.add(`good ${n}`, `place ${n}`, { channel: 'good' });
    await until(() => good.shown.size === 20, 'the good channel', 1_000);
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
    await sleep(50);
    expect(await post.find(id)).toMatchObject({ state: 'pending', attempts: 0 });
    await post.delivery.ready('fake');
    await post.rest();
    expect(await post.find(id)).toMatchObject({ state: 'sent', attempts: 1 });
  });

  it('sends nothing after an outage that was good for a shorter time', async () => {
    const channel = createFakeChannel();
    const post = openPost([channel]);
    for (let n = 0; n < 100; n += 1) await post.add(`${n}`, `place ${n % 10}`);
    post.pass(3_600_000);
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
    const post = openPost([channel], { expireMs: 20 });
    await post.open();
    await post.add('one');
    await until(() => channel.calls.length > 2, 'some attempts');
    post.pass(3_600_000);
    await post.rest();
    expect(await post.states()).toEqual(['expired']);
  });

  it('has no more under way at once than the channel says', async () => {
    let now = 0;
    let most = 0;
    const send = async (): Promise<void> => {
      now += 1;
      most = Math.max(most, now);
      await sleep(5);
      now -= 1;
    };
    const channel = createFakeChannel({ on: { send }, limits: { parallel: 3 } });
    const post = openPost([channel]);
    await post.open();
    await Promise.all(Array.from({ length: 30 }, (_, n) => post.add(`${n}`, `place ${n}`)));
    await post.rest();
    expect(most).toBe(3);
  });

  it('is emptied of what can be sent when the gateway ends', async () => {
    const channel = createFakeChannel({ on: { send: () => sleep(10) } });
    const post = openPost([channel]);
    await post.open();
    for (const text of ['one', 'two', 'three']) await post.add(text);
    await post.delivery.stop();
    expect(channel.texts()).toEqual(['one', 'two', 'three']);
  });

  it('does not keep the gateway from ending', async () => {
    const channel = createFakeChannel({ on: { send: hang } });
    const post = openPost([channel], { sendMs: 5_000, stopMs: 50 });
    await post.open();
    await post.add('one');
    await post.add('two');
    await until(() => channel.calls.length === 1, 'the first call');
    const began = performance.now();
    await post.delivery.stop();
    expect(performance.now() - began).toBeLessThan(500);
    expect(await post.states()).toEqual(['sending', 'pending']);
  });
});

describe('what an earlier gateway was sending', () => {
  it.each([
    ['sent', 'sent', 0],
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
    expect((await post.find(id))?.state).toBe(state);
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
