import { type FakeDiscord, type FakeDiscordOptions, onTestEnd, startFakeDiscord } from '@plugboard/testkit';
import type { Channel, Inbound } from '../../../src/channels/channel.ts';
import { create } from '../../../src/channels/discord/discord.ts';
import type { DiscordSettings } from '../../../src/channels/discord/settings.ts';
import type { ChannelGiven } from '../../../src/channels/kind.ts';
import { type Clock, systemClock } from '../../../src/clock.ts';
import { Secret } from '../../../src/config/secret.ts';
import { silentLogger } from '../../../src/log.ts';
import type { ChannelBench } from '../channel-suite.ts';
import { contextOf, type Listening, listen } from '../suite/bench.ts';

export type Given = ChannelGiven<DiscordSettings>;

export const COMMANDS = [
  { name: 'stop', description: 'stops the running turn' },
  { name: 'agent', description: 'NAME lets another agent answer from now on' },
];

export function settingsFor(fake: FakeDiscord): DiscordSettings {
  const { token, api } = fake.settings as { token: string; api: string };
  return { token: new Secret(token), api, message_content: true };
}

export function givenFor(fake: FakeDiscord, more: Partial<Given> = {}): Given {
  return {
    ...{ name: 'discord', settings: settingsFor(fake), sessions: 'thread', progress: 'edit' },
    ...{ commands: COMMANDS, mediaBytes: 1_000_000, clock: systemClock, log: silentLogger },
    ...more,
  };
}

/** A clock on which timers are `factor` times faster: the waits of the channel are those of real life. */
export function createFastClock(factor = 100): Clock {
  const { now, date, after } = systemClock;
  return { now: () => now() * factor, date, after: (ms, run) => after(ms / factor, run) };
}

/** A fake Discord and a channel on it, for tests of the channel alone. Both end with the test. */
export interface DiscordBench {
  readonly fake: FakeDiscord;
  readonly channel: Channel;
  readonly ingress: Listening;
  readonly send: (text: string, place?: string, id?: string) => Promise<{ readonly platformId?: string }>;
}

export interface BenchOptions {
  readonly fake?: FakeDiscordOptions;
  readonly given?: Partial<Given>;
  readonly take?: (message: Inbound) => Promise<void>;
}

export async function startDiscord({ fake: options, given, take }: BenchOptions = {}): Promise<DiscordBench> {
  const fake = await startFakeDiscord(options);
  const channel = create(givenFor(fake, given));
  onTestEnd(async () => {
    await channel.stop();
    await fake[Symbol.asyncDispose]();
  });
  const ingress = listenFor(take);
  await channel.start(ingress);
  return {
    ...{ fake, channel, ingress },
    send: (text, place = fake.place, id) =>
      channel.send(place, { kind: 'message', text, media: [] }, contextFor(id)),
  };
}

/** What the suite needs of a bench for its ingress and its contexts. */
const NOBODY = { sessionId: 's1', note: async () => 1 } as unknown as ChannelBench;

export function listenFor(take?: (message: Inbound) => Promise<void>): Listening {
  return listen(NOBODY, take);
}

export function contextFor(id?: string) {
  return contextOf(NOBODY, id);
}
