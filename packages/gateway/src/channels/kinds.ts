import { discordKind } from './discord/kind.ts';
import type { ChannelKind } from './kind.ts';
import { slackKind } from './slack/kind.ts';
import { telegramKind } from './telegram/kind.ts';
import { webhookKind } from './webhook/kind.ts';
import { whatsappKind } from './whatsapp/kind.ts';

/** All kinds of channels that a configuration can name. */
export const channelKinds: ReadonlyMap<string, ChannelKind> = new Map(
  [telegramKind, discordKind, slackKind, whatsappKind, webhookKind].map((kind) => [
    kind.name,
    kind as ChannelKind,
  ]),
);
