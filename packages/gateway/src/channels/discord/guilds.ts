import type { API, APIChannel, GatewayDispatchPayload } from '@discordjs/core';
import { ChannelType, GatewayDispatchEvents } from '@discordjs/core';
import { SendError } from '../channel.ts';

/** Position of a channel in its server. */
export interface ChannelFacts {
  /** The server; undefined in private. */
  readonly guildId: string | undefined;
  /** The channel of a thread, or the forum of a post. */
  readonly parentId: string | undefined;
}

/** Cache of servers and channels, filled by `GUILD_CREATE` and `THREAD_CREATE`, and by the API for the rest. */
export interface Guilds {
  take(payload: GatewayDispatchPayload): void;
  factsOf(channelId: string): Promise<ChannelFacts>;
  /** The role of the bot itself in a server: people can mention it like the bot. */
  roleOf(guildId: string): Promise<string | undefined>;
}

const MOST_CHANNELS = 20_000;

export function createGuilds(api: () => API, botId: string): Guilds {
  const channels = new Map<string, ChannelFacts>();
  const roles = new Map<string, string | undefined>();
  const note = (channel: Partial<APIChannel> & { id: string }, guildId: string | undefined): ChannelFacts => {
    const facts = factsIn(channel, guildId);
    channels.delete(channel.id);
    channels.set(channel.id, facts);
    for (const oldest of channels.keys()) {
      if (channels.size <= MOST_CHANNELS) break;
      channels.delete(oldest);
    }
    return facts;
  };
  return {
    take({ t, d }) {
      if (t === GatewayDispatchEvents.GuildCreate && d.unavailable !== true) {
        roles.set(d.id, ownRole(d.roles, botId));
        for (const channel of [...d.channels, ...d.threads]) note(channel, d.id);
      } else if (t === GatewayDispatchEvents.ThreadCreate || t === GatewayDispatchEvents.ChannelCreate)
        note(d, d.guild_id);
      else if (t === GatewayDispatchEvents.ThreadDelete || t === GatewayDispatchEvents.ChannelDelete)
        channels.delete(d.id);
    },
    async factsOf(channelId) {
      const known = channels.get(channelId);
      if (known !== undefined) return known;
      return note({ ...(await api().channels.get(channelId)), id: channelId }, undefined);
    },
    async roleOf(guildId) {
      if (!roles.has(guildId)) roles.set(guildId, await readOwnRole(api(), guildId, botId));
      return roles.get(guildId);
    },
  };
}

const THREADS: ReadonlySet<number | undefined> = new Set([
  ChannelType.AnnouncementThread,
  ChannelType.PublicThread,
  ChannelType.PrivateThread,
]);

export function isThread(type: number | undefined): boolean {
  return THREADS.has(type);
}

function factsIn(channel: Partial<APIChannel>, guildId: string | undefined): ChannelFacts {
  const given = channel as { guild_id?: string; parent_id?: string | null };
  // Of a text channel, `parent_id` is its category.
  const parentId = isThread(channel.type) ? (given.parent_id ?? undefined) : undefined;
  return { guildId: guildId ?? given.guild_id, parentId };
}

type Role = { readonly id: string; readonly tags?: { readonly bot_id?: string } };

function ownRole(roles: readonly Role[], botId: string): string | undefined {
  return roles.find(({ tags }) => tags?.bot_id === botId)?.id;
}

/** Undefined where the API refuses the roles: then only mentions of `botId` count. */
async function readOwnRole(api: API, guildId: string, botId: string): Promise<string | undefined> {
  try {
    return ownRole(await api.guilds.getRoles(guildId), botId);
  } catch (error) {
    if (error instanceof SendError && error.problem === 'never') return undefined;
    throw error;
  }
}
