import { type ChannelBench, describeChannel, type Failure } from './channel-suite.ts';
import { createChatChannel } from './chat-channel.ts';
import { type ChatPlatform, startChatPlatform } from './chat-platform.ts';
import { BUSY_MS } from './suite/bench.ts';

describeChannel('chat', openChatBench);

async function openChatBench(): Promise<ChannelBench> {
  const platform = await startChatPlatform();
  const channel = createChatChannel(platform.url);
  return {
    channel,
    place: 'hall',
    sessionId: 's1',
    note: async () => 1,
    seen: async () =>
      platform.shown.map(({ id, text, media }) => ({ platformId: id, text, files: media.length })),
    people: {
      say: (text) => String(platform.say('hall', text).id),
      isAcknowledged: (id) => platform.acknowledged >= Number(id),
    },
    fail: (failure) => failWith(platform, failure),
    remove: platform.remove,
    calls: () => platform.calls.length,
    async [Symbol.asyncDispose]() {
      await channel.stop();
      await platform[Symbol.asyncDispose]();
    },
  };
}

function failWith(platform: ChatPlatform, failure: Failure): Promise<void> | void {
  if (failure === 'unreachable') return platform.down();
  const troubles = {
    lost: 'lose',
    cut: 'cut',
    busy: { status: 429, body: { retryAfter: BUSY_MS / 1000 } },
    forbidden: { status: 403 },
    'key refused': { status: 401 },
  } as const;
  platform.trouble(troubles[failure]);
}
