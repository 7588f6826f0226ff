import type { WebSocket } from 'ws';

/** Types of channels, as Discord numbers them. */
export const CHANNEL = { text: 0, private: 1, thread: 11, forum: 15 } as const;

const EPOCH = 1_420_070_400_000n;

export interface FakeUser {
  readonly id: string;
  readonly username: string;
  readonly global_name?: string;
  readonly bot?: true;
}

export interface FakeAttachment {
  readonly id: string;
  readonly filename: string;
  readonly size: number;
  readonly url: string;
  readonly content_type?: string;
}

/** A message as the REST API shows it. */
export interface FakeMessage {
  readonly id: string;
  readonly channel_id: string;
  readonly author: FakeUser;
  readonly type: number;
  readonly mentions: readonly FakeUser[];
  readonly mention_roles: readonly string[];
  readonly timestamp: string;
  readonly [field: string]: unknown;
  content: string;
  edited_timestamp: string | null;
  flags: number;
  attachments: readonly FakeAttachment[];
  components: readonly FakeRow[];
}

export interface FakeRow {
  readonly type: number;
  readonly components: readonly {
    readonly type: number;
    readonly custom_id: string;
    readonly label: string;
    readonly style: number;
  }[];
}

export interface FakeChannel {
  readonly id: string;
  readonly type: number;
  readonly guildId?: string;
  readonly parentId?: string;
  readonly name: string;
  /** Newest last. */
  readonly messages: FakeMessage[];
  locked: boolean;
  archived: boolean;
  /** The bot may not see it. */
  hidden: boolean;
}

/** A gateway session; it outlives its `socket`. */
export interface FakeSession {
  readonly id: string;
  readonly intents: number;
  readonly events: { readonly s: number; readonly t: string; readonly d: Record<string, unknown> }[];
  socket: WebSocket | undefined;
  /** The highest sequence that a heartbeat or a resume has named. */
  acknowledged: number;
}

/** An interaction with its answers. */
export interface FakeInteraction {
  readonly id: string;
  readonly token: string;
  readonly user: FakeUser;
  readonly data: Readonly<Record<string, unknown>>;
  readonly channelId: string;
  readonly messageId: string | undefined;
  readonly createdAt: number;
  /** The first answer: `type` and `data` as they came. */
  answer: { readonly type: number; readonly data?: Readonly<Record<string, unknown>> } | undefined;
  /** Texts that the person alone sees, from the first answer or from later messages. */
  readonly whispers: string[];
}

export interface FakeFile {
  readonly bytes: Uint8Array;
  readonly type: string;
}

/** State of the fake platform; tests may change it. */
export interface FakeWorld {
  url: string;
  readonly bot: FakeUser;
  readonly applicationId: string;
  readonly guild: { readonly id: string; readonly roleId: string };
  readonly users: Map<string, FakeUser>;
  readonly channels: Map<string, FakeChannel>;
  readonly files: Map<string, FakeFile>;
  readonly sessions: Map<string, FakeSession>;
  readonly interactions: Map<string, FakeInteraction>;
  /** Message ids by channel and nonce, with the time at which they were sent. */
  readonly nonces: Map<string, { readonly message: FakeMessage; readonly at: number }>;
  /** Times of the sends in each channel, for the rate limit. */
  readonly sends: Map<string, number[]>;
  /** Buttons that an edit has taken away, by the id of their message: people may still have them on the screen. */
  readonly oldButtons: Map<string, readonly FakeRow[]>;
  /** Texts that would have notified people, because `allowed_mentions` did not forbid it. */
  readonly pings: string[];
  readonly typings: string[];
  token: string;
  /** The switch for the message-content intent in the Developer Portal. */
  contentIntent: boolean;
  isInServer: boolean;
  remainingIdentifies: number;
  identifies: number;
  resumes: number;
  commands: readonly unknown[];
  /** How many messages fit into five seconds of a channel. */
  sendsPerWindow: number;
  /** Time for which `enforce_nonce` works, in ms. */
  nonceMs: number;
  /** Time for the first answer to an interaction, in ms. */
  interactionMs: number;
  heartbeatMs: number;
  /** Set by `deafen`. */
  deaf: boolean;
  /** Whether op 11 is left out. */
  mute: boolean;
  /** Whether op 10 is left out. */
  silent: boolean;
  lastSnowflake: bigint;
}

/** A unique, rising id with the time in its upper 42 bits. */
export function createSnowflake(world: Pick<FakeWorld, 'lastSnowflake'>, at = Date.now()): string {
  const wanted = (BigInt(at) - EPOCH) << 22n;
  world.lastSnowflake = wanted > world.lastSnowflake ? wanted : world.lastSnowflake + 1n;
  return world.lastSnowflake.toString();
}

export function channelOf(world: FakeWorld, id: string): FakeChannel {
  const channel = world.channels.get(id);
  if (channel === undefined) throw new Error(`The fake has no channel ${id}.`);
  return channel;
}

/** Replaces the buttons of a message. */
export function setButtons({ oldButtons }: FakeWorld, message: FakeMessage, rows: readonly FakeRow[]): void {
  if (message.components.length > 0) oldButtons.set(message.id, message.components);
  message.components = rows;
}

/** The channel as the API shows it. */
export function showChannel(world: FakeWorld, channel: FakeChannel): Record<string, unknown> {
  const { id, type, guildId, parentId, name, locked, archived } = channel;
  const isThread = type === CHANNEL.thread;
  return {
    id,
    type,
    name,
    ...(guildId === undefined ? { recipients: [...world.users.values()] } : { guild_id: guildId }),
    ...(parentId === undefined ? {} : { parent_id: parentId }),
    ...(isThread ? { thread_metadata: { locked, archived } } : {}),
  };
}

/** Empties `content` and `attachments` for a session without the message-content intent. */
function visibleTo(world: FakeWorld, intents: number, message: Record<string, unknown>) {
  const author = message.author as FakeUser;
  const mentions = message.mentions as readonly FakeUser[];
  const isOpen =
    (intents & 32_768) !== 0 ||
    message.guild_id === undefined ||
    author.id === world.bot.id ||
    mentions.some(({ id }) => id === world.bot.id);
  return isOpen ? message : { ...message, content: '', attachments: [], components: [] };
}

/** Dispatches an event to all sessions of the bot. */
export function dispatch(world: FakeWorld, t: string, d: Record<string, unknown>): void {
  for (const session of world.sessions.values()) {
    const seen = t === 'MESSAGE_CREATE' ? visibleTo(world, session.intents, d) : d;
    dispatchTo(session, t, seen);
  }
}

export function dispatchTo(session: FakeSession, t: string, d: Record<string, unknown>): void {
  const event = { s: session.events.length + 1, t, d };
  session.events.push(event);
  session.socket?.send(JSON.stringify({ op: 0, ...event }));
}
