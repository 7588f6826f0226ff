import { type APIApplication, ApplicationFlags } from '@discordjs/core';
import { systemClock } from '../../clock.ts';
import type { ChannelGiven, Proof } from '../kind.ts';
import { createRest, type DiscordRest } from './rest.ts';
import { type DiscordSettings, tokenProblem } from './settings.ts';

/** Permission bits of `inviteLink`: view, send, threads, history, files, embeds, reactions. */
const PERMISSIONS = '309237763136';

const INTENT_OFF =
  'The message-content intent is off: in servers, the bot would be refused. Switch "Message Content Intent" on in the Developer Portal, under Bot, or set message_content: false.';

/** Asks Discord whose token it is. */
export async function prove({ settings }: Pick<ChannelGiven<DiscordSettings>, 'settings'>): Promise<Proof> {
  const problem = tokenProblem(settings.token.reveal());
  if (problem !== undefined) throw new Error(problem);
  const rest = createRest({ settings, clock: systemClock });
  try {
    const me = await rest.api.applications.getCurrent();
    const { username } = me.bot ?? (await rest.api.users.getCurrent());
    const { session_start_limit: limit } = await rest.readGateway();
    return {
      name: username,
      link: () => inviteLink(me.id),
      remarks: [
        ...((await isInServer(rest))
          ? []
          : [`The bot is in no server yet. Add it to one: ${inviteLink(me.id)}`]),
        ...(settings.message_content && !hasContentIntent(me) ? [INTENT_OFF] : []),
        ...(limit.remaining < 10
          ? [`Discord allows ${limit.remaining} more starts of this bot for ${waitOf(limit.reset_after)}.`]
          : []),
      ],
    };
  } finally {
    rest.close();
  }
}

/** A private message needs a server in common. */
async function isInServer({ api }: DiscordRest): Promise<boolean> {
  return (await api.users.getGuilds({ limit: 1 })).length > 0;
}

function waitOf(ms: number): string {
  return `${Math.ceil(ms / 60_000)} minutes`;
}

function hasContentIntent({ flags }: APIApplication): boolean {
  const { GatewayMessageContent, GatewayMessageContentLimited } = ApplicationFlags;
  return (flags & (GatewayMessageContent | GatewayMessageContentLimited)) !== 0;
}

/** Link that adds the bot to a server. Discord has none that carries a code. */
function inviteLink(applicationId: string): string {
  const query = new URLSearchParams({
    client_id: applicationId,
    scope: 'bot applications.commands',
    permissions: PERMISSIONS,
  });
  return `https://discord.com/oauth2/authorize?${query}`;
}
