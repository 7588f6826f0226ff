import { onTestEnd, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import type { SendContext } from '../../../src/channels/channel.ts';
import { create } from '../../../src/channels/discord/discord.ts';
import { type Clock, systemClock } from '../../../src/clock.ts';
import { contextFor, type DiscordBench, givenFor, listenFor, startDiscord } from './bench.ts';

const MINUTE = 60_000;
const BODY = { kind: 'message', text: 'The *answer*.', media: [] } as const;

/** A clock whose date is off. */
function clockOff(ms: number): Clock {
  return { ...systemClock, date: () => systemClock.date() + ms };
}

/** Another process of the same bot: it remembers nothing of what was sent. */
async function restart({ fake }: DiscordBench, clock: Clock) {
  const channel = create(givenFor(fake, { clock }));
  onTestEnd(() => channel.stop());
  await channel.start(listenFor());
  return (context: SendContext) => channel.resolve?.(fake.place, BODY, context);
}

describe('a delivery to Discord whose answer was lost', () => {
  it('has arrived when the event of its message has come', async () => {
    const { fake, channel } = await startDiscord();
    const context = contextFor();
    fake.server.trouble('cut', ({ path }) => path.endsWith('/messages'));
    await channel.send(fake.place, BODY, context).catch(() => {});
    const resolve = () => channel.resolve?.(fake.place, BODY, context);
    await until(async () => typeof (await resolve()) === 'object', 'the event');
    expect(await resolve()).toEqual({ platformId: fake.shown()[0]?.platformId });
  });

  it('may be sent again while Discord remembers its nonce', async () => {
    const bench = await startDiscord();
    const resolve = await restart(bench, systemClock);
    expect(await resolve({ ...contextFor(), createdAt: Date.now() - MINUTE })).toBe('pending');
  });

  it.each([
    ['here is right', 0],
    ['here is ten minutes fast', 10 * MINUTE],
    ['here is ten minutes slow', -10 * MINUTE],
  ])('is found in the history later, where the clock %s', async (_title, off) => {
    const bench = await startDiscord();
    const { fake, channel } = bench;
    const clock = clockOff(off);
    const resolve = await restart(bench, clock);
    const context = { ...contextFor(), createdAt: clock.date() - 3 * MINUTE };
    expect(await resolve(context)).toBe('unknown');
    await channel.send(fake.place, BODY, contextFor());
    expect(await resolve(context)).toEqual({ platformId: fake.shown()[0]?.platformId });
  });

  it('is not taken for an earlier message with the same text, nor for one of a person', async () => {
    const bench = await startDiscord();
    const { fake, channel } = bench;
    const channelOfFake = fake.world.channels.get(fake.place);
    await channel.send(fake.place, BODY, contextFor());
    const [old] = channelOfFake?.messages.splice(0) ?? [];
    // Four minutes ago, by its id.
    if (old !== undefined)
      channelOfFake?.messages.push({ ...old, id: String(BigInt(old.id) - (BigInt(4 * MINUTE) << 22n)) });
    fake.say('The *answer*.');
    const resolve = await restart(bench, systemClock);
    expect(await resolve({ ...contextFor(), createdAt: Date.now() - 3 * MINUTE })).toBe('unknown');
  });

  it('is unknown where nobody knows when it was sent', async () => {
    const bench = await startDiscord();
    const resolve = await restart(bench, systemClock);
    expect(await resolve(contextFor())).toBe('unknown');
  });
});
