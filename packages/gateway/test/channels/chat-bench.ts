import { onTestEnd, until } from '@plugboard/testkit';
import type { Channel } from '../../src/channels/channel.ts';
import { type Bench, type Setting, startBench } from '../harness.ts';
import { type ChatOptions, createChatChannel } from './chat-channel.ts';
import { type ChatPlatform, startChatPlatform } from './chat-platform.ts';

/** A gateway with a chat platform before it and real agents behind. */
export interface ChatBench extends Bench {
  readonly platform: ChatPlatform;
  /** Waits until people see exactly this in a place. */
  sees(place: string, texts: readonly string[]): Promise<void>;
  /** Waits until everything has been answered and nothing is left to be sent. */
  rest(): Promise<void>;
}

/** No edits and no signs, unless a test is about them. */
const PLAIN = { editIntervalMs: undefined, typingIntervalMs: 60_000 };

export async function startChat(
  setting: Setting = {},
  chat: ChatOptions = {},
  others: readonly Channel[] = [],
): Promise<ChatBench> {
  const platform = await startChatPlatform();
  onTestEnd(() => platform[Symbol.asyncDispose]());
  const limits = { ...PLAIN, ...chat.limits } as NonNullable<ChatOptions['limits']>;
  const channel = createChatChannel(platform.url, { ...chat, limits });
  const bench = await startBench({ ...setting, channels: [channel, ...others] });
  const { store, gateway } = bench;
  const isAtRest = async (): Promise<boolean> => {
    const { waiting, running } = await store.turns.backlog();
    const busy = await Promise.all(
      (['pending', 'sending'] as const).map((state) => store.outbox.list({ state, limit: 1 })),
    );
    return waiting + running + busy.flat().length + gateway.engine.running.size === 0;
  };
  return {
    ...bench,
    platform,
    async sees(place, texts) {
      const wanted = JSON.stringify(texts);
      await until(() => JSON.stringify(platform.texts(place)) === wanted, `${place} to see ${wanted}`).catch(
        (error) => {
          throw new Error(`${place} sees ${JSON.stringify(platform.texts(place))}`, { cause: error });
        },
      );
    },
    rest: () => until(isAtRest, 'everything to be answered'),
  };
}
