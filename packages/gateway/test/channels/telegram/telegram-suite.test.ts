import { type FakeTelegram, startFakeTelegram } from '@plugboard/testkit';
import { type ChannelBench, describeChannel, type Failure } from '../channel-suite.ts';
import { BUSY_MS } from '../suite/bench.ts';
import { calling, channelFor, refusal } from './telegram-bench.ts';

describeChannel('telegram', openBench);

async function openBench(): Promise<ChannelBench> {
  const platform = await startFakeTelegram();
  const channel = channelFor(platform);
  const { server, place } = platform;
  return {
    channel,
    place,
    sessionId: 's1',
    note: async () => 1,
    seen: async () =>
      platform.shown().map(({ platformId, text, files }) => ({ platformId, text, files: files.length })),
    people: { say: (text) => platform.say(text), isAcknowledged: platform.isAcknowledged },
    fail: (failure) => failWith(platform, failure),
    remove: platform.remove,
    // Updates are asked for all the time.
    calls: () => server.calls.filter((call) => !calling('getUpdates')(call)).length,
    async [Symbol.asyncDispose]() {
      await channel.stop();
      await platform[Symbol.asyncDispose]();
    },
  };
}

function failWith({ server }: FakeTelegram, failure: Failure): Promise<void> | void {
  if (failure === 'unreachable') return server.down();
  const troubles = {
    lost: 'lose',
    cut: 'cut',
    busy: refusal(429, 'Too Many Requests: retry after 2', { retry_after: BUSY_MS / 1_000 }),
    forbidden: refusal(403, 'Forbidden: bot was blocked by the user'),
    'key refused': refusal(401, 'Unauthorized'),
  } as const;
  server.trouble(troubles[failure], calling('sendMessage'));
}
