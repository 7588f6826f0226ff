import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FakeDiscord, onTestEnd, startFakeDiscord, temporaryDirectory, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import type { Channel, Inbound } from '../../../src/channels/channel.ts';
import { create } from '../../../src/channels/discord/discord.ts';
import { Secret } from '../../../src/config/secret.ts';
import { silentLogger } from '../../../src/log.ts';
import type { Listening } from '../suite/bench.ts';
import {
  createFastClock,
  type DiscordBench,
  type Given,
  givenFor,
  listenFor,
  settingsFor,
  startDiscord,
} from './bench.ts';

/** After this, the library connects again. */
const LIBRARY_WAIT_MS = 500;

const textsOf = ({ heard }: Listening): string[] => heard.map(({ text }) => text);

async function hears({ ingress }: Pick<DiscordBench, 'ingress'>, ...texts: string[]): Promise<void> {
  await until(() => textsOf(ingress).includes(texts.at(-1) ?? ''), 'the last message', 10_000);
  expect(textsOf(ingress)).toEqual(texts);
}

/** A directory for the file of a channel, gone when the test ends. */
function directoryFor(): string {
  const temporary = temporaryDirectory();
  onTestEnd(() => temporary[Symbol.dispose]());
  return join(temporary.path, 'channels', 'discord');
}

async function startOn(
  fake: FakeDiscord,
  given: Partial<Given>,
  take?: (message: Inbound) => Promise<void>,
): Promise<{ channel: Channel; ingress: Listening }> {
  const channel = create(givenFor(fake, given));
  onTestEnd(() => channel.stop());
  const ingress = listenFor(take);
  await channel.start(ingress);
  return { channel, ingress };
}

async function startFake(options = {}): Promise<FakeDiscord> {
  const fake = await startFakeDiscord(options);
  onTestEnd(() => fake[Symbol.asyncDispose]());
  return fake;
}

describe.concurrent('a broken connection to Discord', () => {
  it.each([
    ['close code 4000', (fake: FakeDiscord) => fake.gateway.close(4_000), 0],
    ['a connection that is cut', (fake: FakeDiscord) => fake.gateway.cut(), 0],
    ['the demand to reconnect', (fake: FakeDiscord) => fake.gateway.reconnect(), 0],
    ['an invalid session that can be resumed', (fake: FakeDiscord) => fake.gateway.invalidate(true), 0],
    ['an invalid session that is gone', (fake: FakeDiscord) => fake.gateway.invalidate(false), 1],
    ['close code 4009', (fake: FakeDiscord) => fake.gateway.close(4_009), 0],
    ['close code 1000', (fake: FakeDiscord) => fake.gateway.close(1_000), 1],
  ] as const)('loses nothing and repeats nothing after %s', async (_title, breakIt, identifies) => {
    const bench = await startDiscord({ given: { clock: createFastClock() } });
    const { fake } = bench;
    fake.say('before');
    await hears(bench, 'before');
    breakIt(fake);
    fake.say('meanwhile');
    await hears(bench, 'before', 'meanwhile');
    await until(() => fake.gateway.connections === 1, 'a new connection', 10_000);
    fake.say('after');
    await hears(bench, 'before', 'meanwhile', 'after');
    expect(fake.world.identifies).toBe(1 + identifies);
  });

  it('is noticed when heartbeats are not answered', async () => {
    const bench = await startDiscord({ fake: { heartbeatMs: 60 }, given: { clock: createFastClock() } });
    const { fake } = bench;
    fake.world.mute = true;
    await until(() => fake.world.resumes > 0, 'a resume', 10_000);
    fake.world.mute = false;
    fake.say('one');
    await hears(bench, 'one');
    expect(fake.world.identifies).toBe(1);
  });

  it('keeps its session while the gateway cannot be reached', async () => {
    const closed: string[] = [];
    const log = { ...silentLogger, info: (message: string) => void closed.push(message) };
    const bench = await startDiscord({ given: { clock: createFastClock(), log } });
    const { fake } = bench;
    fake.say('before');
    await hears(bench, 'before');
    await fake.server.down();
    fake.say('meanwhile');
    await until(() => closed.length > 1, 'a connection to fail', 10_000);
    await fake.server.up();
    await hears(bench, 'before', 'meanwhile');
    expect(fake.world.identifies).toBe(1);
  });
});

describe.concurrent('a restart of a channel on Discord', () => {
  it('resumes the session, and hears again what was not kept', async () => {
    const fake = await startFake();
    const directory = directoryFor();
    const first = await startOn(fake, { directory }, async ({ text }) => {
      if (text !== 'kept') throw new Error('The disk is full.');
    });
    fake.say('kept');
    const lost = fake.say('not kept');
    await until(() => first.ingress.heard.some(({ messageId }) => messageId === lost), 'both messages');
    await first.channel.stop();
    fake.say('meanwhile');
    const second = await startOn(fake, { directory });
    await hears(second, 'not kept', 'meanwhile');
    expect(fake.world).toMatchObject({ identifies: 1, resumes: 1 });
  });

  it('goes on where a killed process had got to', async () => {
    const fake = await startFake();
    const directory = directoryFor();
    const clock = createFastClock();
    const first = await startOn(fake, { directory, clock });
    fake.say('one');
    await hears(first, 'one');
    await until(() => isWritten(directory), 'the file to be written');
    const { size } = statSync(join(directory, 'session.json'));
    fake.say('two');
    await hears(first, 'one', 'two');
    await until(() => statSync(join(directory, 'session.json')).size >= size, 'the file');
    // The old process is gone without a farewell.
    fake.gateway.cut();
    const second = await startOn(fake, { directory });
    fake.say('three');
    await until(() => textsOf(second.ingress).includes('three'), 'the last message');
    expect(textsOf(second.ingress).at(-1)).toBe('three');
    expect(fake.world.identifies).toBe(1);
  });

  it('stores its session before a message has come', async () => {
    const fake = await startFake();
    const directory = directoryFor();
    await startOn(fake, { directory, clock: createFastClock() });
    await until(() => isWritten(directory), 'the file to be written');
  });

  it('keeps its file for the owner alone, without the token', async () => {
    const fake = await startFake();
    const directory = directoryFor();
    const { channel } = await startOn(fake, { directory });
    await channel.stop();
    const file = join(directory, 'session.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).not.toContain(String(fake.settings.token));
  });

  it('fills the gap from the history where the session is gone, each message once and in order', async () => {
    const fake = await startFake();
    const directory = directoryFor();
    const first = await startOn(fake, { directory });
    fake.say('first');
    fake.say('elsewhere', { place: fake.textChannel });
    await until(() => first.ingress.heard.length === 2, 'both messages');
    await first.channel.stop();
    fake.world.sessions.clear();
    const many = Array.from({ length: 150 }, (_, index) => `number ${index}`);
    for (const text of many) fake.say(text);
    fake.say('in the server', { place: fake.textChannel });
    // Discord refuses the resume, which begins a new session.
    const kept: Inbound[] = [];
    let isRefused = true;
    const second = await startOn(fake, { directory }, async (message) => {
      const isFull = isRefused && message.text === 'number 70';
      if (isFull) isRefused = false;
      if (isFull) throw new Error('The disk is full.');
      kept.push(message);
    });
    await until(() => kept.length === 151, 'the gap to be filled', 10_000);
    fake.say('last');
    await until(() => kept.length === 152, 'the last message');
    const here = kept.filter(({ place }) => place === fake.place);
    expect(here.map(({ text }) => text)).toEqual([...many, 'last']);
    const there = second.ingress.heard.find(({ place }) => place === fake.textChannel);
    expect(there).toMatchObject({ text: 'in the server', group: { place: fake.textChannel } });
  });

  it('fills the gap again where it was stopped meanwhile', async () => {
    const fake = await startFake();
    const directory = directoryFor();
    const first = await startOn(fake, { directory });
    fake.say('first');
    await hears(first, 'first');
    await first.channel.stop();
    fake.world.sessions.clear();
    fake.say('missed');
    const second = await startOn(fake, { directory }, () => Promise.reject(new Error('The disk is full.')));
    await until(() => second.ingress.heard.length > 0, 'the missed message');
    await second.channel.stop();
    const third = await startOn(fake, { directory });
    await hears(third, 'missed');
    expect(fake.world.identifies).toBe(3);
  });

  it('hears a message once that is still being kept when the connection breaks', async () => {
    const kept = Promise.withResolvers<void>();
    const bench = await startDiscord({ take: () => kept.promise });
    const { fake, ingress } = bench;
    fake.say('slow');
    await until(() => ingress.heard.length === 1, 'the message');
    fake.gateway.cut();
    await until(() => fake.world.resumes === 1, 'the resume');
    fake.say('elsewhere', { place: 'bob', person: 'bob' });
    await until(() => textsOf(ingress).includes('elsewhere'), 'another message');
    kept.resolve();
    const last = fake.say('last');
    await until(() => fake.isAcknowledged(last), 'everything to be acknowledged');
    expect(textsOf(ingress)).toEqual(['slow', 'elsewhere', 'last']);
  });

  it('asks again for a history that could not be read, and leaves channels out that are hidden now', async () => {
    const fake = await startFake();
    const directory = directoryFor();
    const first = await startOn(fake, { directory });
    const thread = fake.createThread(fake.textChannel);
    fake.say('first');
    fake.say('thread', { place: thread.id });
    await until(() => first.ingress.heard.length === 2, 'both messages');
    await first.channel.stop();
    fake.world.sessions.clear();
    fake.say('missed');
    fake.say('hidden', { place: thread.id });
    thread.hidden = true;
    fake.server.trouble(
      { status: 500 },
      ({ method, path }) => method === 'GET' && path.endsWith('/messages'),
    );
    const second = await startOn(fake, { directory });
    await hears(second, 'missed');
    const isForgotten = (): boolean => {
      const { session, positions } = keptIn(directory);
      return session !== undefined && Object.keys(positions).join() === fake.place;
    };
    await until(isForgotten, 'the hidden channel to be forgotten', 5_000);
  });

  it('leaves messages out that are older than a day', async () => {
    const fake = await startFake();
    const directory = directoryFor();
    const hours = (count: number): bigint => BigInt(count * 60 * 60_000) << 22n;
    const now = BigInt(fake.say('now', { unseen: true }));
    const { messages = [] } = fake.world.channels.get(fake.place) ?? {};
    const [message] = messages;
    for (const age of [25, 23])
      if (message !== undefined)
        messages.splice(-1, 0, { ...message, id: String(now - hours(age)), content: `${age} h ago` });
    mkdirSync(directory, { recursive: true });
    const positions = { [fake.place]: String(now - hours(48)) };
    writeFileSync(join(directory, 'session.json'), JSON.stringify({ botId: fake.world.bot.id, positions }));
    await hears(await startOn(fake, { directory }), '23 h ago', 'now');
  });

  it('survives a damaged file, and drops that of another bot', async () => {
    const directory = directoryFor();
    const fake = await startFake();
    const first = await startOn(fake, { directory });
    await first.channel.stop();
    const other = await startFake();
    const second = await startOn(other, { directory });
    expect(other.world).toMatchObject({ identifies: 1, resumes: 0 });
    await second.channel.stop();
    writeFileSync(join(directory, 'session.json'), '{"botId":');
    const third = await startOn(other, { directory });
    other.say('hello');
    await hears(third, 'hello');
  });
});

function keptIn(directory: string): { session?: unknown; positions: Record<string, string> } {
  return JSON.parse(readFileSync(join(directory, 'session.json'), 'utf8'));
}

function isWritten(directory: string): boolean {
  return statSync(join(directory, 'session.json'), { throwIfNoEntry: false }) !== undefined;
}

describe.concurrent('a bot that Discord refuses', () => {
  it.each([
    ['its token', {}, { token: new Secret('wrong.token.here') }, /401/],
    ['the message-content intent', { contentIntent: false }, {}, /message-content intent.*Developer Portal/],
  ] as const)('because of %s stops the channel with a reason, and begins no session', async (...all) => {
    const [, options, settings, reason] = all;
    const fake = await startFake(options);
    const channel = create(givenFor(fake, { settings: { ...settingsFor(fake), ...settings } }));
    onTestEnd(() => channel.stop());
    await expect(channel.start(listenFor())).rejects.toMatchObject({
      ...{ problem: 'never', stopsChannel: true },
      message: expect.stringMatching(reason),
    });
    const { identifies } = fake.world;
    await channel.stop();
    expect(fake.world.identifies).toBe(identifies);
    expect(identifies).toBeLessThanOrEqual(1);
    await until(() => fake.gateway.connections === 0, 'the connection to be closed');
  });

  it('works without the intent where the configuration says so', async () => {
    const fake = await startFake({ contentIntent: false });
    const settings = { ...settingsFor(fake), message_content: false };
    const bench = await startOn(fake, { settings });
    const { bot } = fake.world;
    fake.say('not for the bot', { place: fake.textChannel });
    fake.say(`<@${bot.id}> hi`, { place: fake.textChannel, mentions: [bot.id] });
    await hears(bench, 'hi');
  });

  it('while it is listening is stopped for good', async () => {
    const bench = await startDiscord();
    const reasons: string[] = [];
    bench.ingress.fail = (reason) => void reasons.push(reason);
    bench.fake.setToken('other.token.now');
    bench.fake.gateway.close(4_000);
    await until(() => reasons.length > 0, 'the reason', 10_000);
    expect(reasons).toEqual([expect.stringMatching(/refuses the token.*Reset Token/)]);
  });

  it('because no session may be begun waits as long as Discord says', async () => {
    const fake = await startFake({ identifies: 0 });
    const channel = create(givenFor(fake));
    onTestEnd(() => channel.stop());
    await expect(channel.start(listenFor())).rejects.toMatchObject({ problem: 'later', afterMs: 2_000 });
    expect(fake.world.identifies).toBe(0);
  });

  it('begins no second session before the budget allows it', async () => {
    const bench = await startDiscord({ fake: { identifies: 1 }, given: { clock: createFastClock() } });
    const { fake } = bench;
    const budgets = () => fake.server.calls.filter(({ path }) => path.endsWith('/gateway/bot')).length;
    fake.gateway.invalidate(false);
    const before = budgets();
    await until(() => budgets() > before + 2, 'the budget to be read', 10_000);
    expect(fake.world.identifies).toBe(1);
    fake.world.remainingIdentifies = 5;
    await until(() => fake.world.identifies === 2, 'a new session', 10_000);
  });
});

// These count the timers of the process, so that no other test may run beside them.
describe('stopping a channel on Discord', () => {
  it('takes less than five seconds when the other side is deaf, and leaves no timer', async () => {
    const fake = await startFake();
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const { channel } = await startOn(fake, {});
    fake.gateway.deafen();
    const began = performance.now();
    await channel.stop();
    expect(performance.now() - began).toBeLessThan(5_000);
    // The library leaves a timer of 30 s with the connection.
    await until(() => timers() === 0, 'the timers to be gone', 15_000);
  });

  it.each([
    ['before the library connects again', 0],
    ['while it waits for a hello', 600],
  ])('during a reconnect, %s, begins no new connection', async (_title, waitMs) => {
    const { fake, channel } = await startDiscord();
    if (waitMs > 0) fake.world.silent = true;
    fake.gateway.cut();
    await until(() => fake.gateway.connections === (waitMs > 0 ? 1 : 0), 'the moment');
    await channel.stop();
    await sleep(LIBRARY_WAIT_MS + 200);
    expect(fake.gateway.connections).toBe(0);
    expect(fake.world.resumes).toBe(0);
  });

  it('settles a start that has not settled', async () => {
    const fake = await startFake();
    const channel = create(givenFor(fake));
    fake.world.silent = true;
    const starting = channel.start(listenFor());
    starting.catch(() => {});
    await until(() => fake.gateway.connections === 1, 'the connection');
    await channel.stop();
    await expect(starting).rejects.toMatchObject({ problem: 'later' });
    await until(() => fake.gateway.connections === 0, 'the connection to be closed');
  });
});

it.concurrent('two bots of one process keep their sessions apart', async () => {
  const [one, two] = [await startDiscord(), await startDiscord()];
  one.fake.say('to one');
  two.fake.say('to two');
  await hears(one, 'to one');
  await hears(two, 'to two');
  one.fake.gateway.cut();
  two.fake.gateway.cut();
  one.fake.say('again one');
  two.fake.say('again two');
  await hears(one, 'to one', 'again one');
  await hears(two, 'to two', 'again two');
  for (const { fake } of [one, two]) expect(fake.world).toMatchObject({ identifies: 1, resumes: 1 });
});
