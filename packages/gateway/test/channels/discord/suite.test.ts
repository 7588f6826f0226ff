import { type FakeDiscord, startFakeDiscord, tooMany } from '@plugboard/testkit';
import { create } from '../../../src/channels/discord/discord.ts';
import { type ChannelBench, describeChannel, type Failure } from '../channel-suite.ts';
import { BUSY_MS } from '../suite/bench.ts';
import { givenFor } from './bench.ts';

describeChannel('discord', openDiscordBench);

async function openDiscordBench(): Promise<ChannelBench> {
  const fake = await startFakeDiscord();
  const channel = create(givenFor(fake));
  return {
    channel,
    place: fake.place,
    sessionId: 's1',
    note: async () => 1,
    dropsRepeats: true,
    seen: async () =>
      fake.shown().map(({ platformId, text, files }) => ({ platformId, text, files: files.length })),
    people: { say: (text) => fake.say(text), isAcknowledged: fake.isAcknowledged },
    fail: (failure) => failWith(fake, failure),
    remove: fake.remove,
    calls: () => fake.server.calls.length,
    async [Symbol.asyncDispose]() {
      await channel.stop();
      await fake[Symbol.asyncDispose]();
    },
  };
}

function failWith({ server }: FakeDiscord, failure: Failure): Promise<void> | void {
  if (failure === 'unreachable') return server.down();
  const troubles = {
    lost: 'lose',
    cut: 'cut',
    busy: tooMany(BUSY_MS / 1000, 'user'),
    forbidden: { status: 403, body: { code: 50_001, message: 'Missing Access' } },
    'key refused': { status: 401, body: { code: 0, message: '401: Unauthorized' } },
  } as const;
  server.trouble(troubles[failure], ({ method }) => method === 'POST');
}
