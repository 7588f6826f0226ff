import { channelFields } from './channel-config.ts';
import { startFakeDiscord } from './discord/fake-discord.ts';
import type { FakePlatform } from './fake-platform.ts';
import { startFakeSlack } from './slack/slack.ts';
import { startFakeTelegram } from './telegram/fake-telegram.ts';
import { startFakeWhatsapp } from './whatsapp/fake-whatsapp.ts';

export type PlatformName = 'telegram' | 'discord' | 'slack' | 'whatsapp';

/** Id of another private conversation than `FakePlatform.place`. Slack recognises private ones by a leading D. */
export function otherPlace(platform: PlatformName, number: number): string {
  return `${platform === 'slack' ? 'D' : ''}${4_915_100_000 + number}`;
}

/** Fakes of all platforms, for one gateway. */
export interface FakePlatforms extends AsyncDisposable {
  readonly all: ReadonlyMap<PlatformName, FakePlatform>;
  /** `channels` of a configuration; secrets are written to files in `directory`. Everybody may talk. */
  channelsIn(directory: string): Record<string, unknown>;
  /** Points the webhooks of the platforms to the gateway at `url`. */
  connect(url: string): void;
}

export async function startFakePlatforms(): Promise<FakePlatforms> {
  const whatsapp = await startFakeWhatsapp();
  const all = new Map<PlatformName, FakePlatform>([
    ['telegram', await startFakeTelegram()],
    ['discord', await startFakeDiscord()],
    ['slack', await startFakeSlack()],
    ['whatsapp', whatsapp],
  ]);
  return {
    all,
    channelsIn(directory) {
      const fields = [...all].map(([name, platform]) => [
        name,
        { ...channelFields(name, platform, directory), allow: ['*'] },
      ]);
      return Object.fromEntries(fields);
    },
    connect(url) {
      whatsapp.webhooks.connect(async ({ method, headers, body }) => {
        const response = await fetch(`${url}/hooks/whatsapp`, { method, headers, body: Buffer.from(body) });
        return { status: response.status, body: await response.text() };
      });
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...all.values()].map((platform) => platform[Symbol.asyncDispose]()));
    },
  };
}
