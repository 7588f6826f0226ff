import type { FakePlatform, Speaker } from '../fake-platform.ts';
import { startFakeServer } from '../fake-server.ts';
import { createFakeGateway, type FakeGateway } from './gateway.ts';
import { addInteraction } from './interactions.ts';
import {
  addChannel,
  addThread,
  type FakeSaying,
  findMessage,
  placeNamed,
  sayIn,
  shownIn,
  submitForm,
  userNamed,
} from './people.ts';
import { answerCall } from './rest.ts';
import {
  CHANNEL,
  channelOf,
  createSnowflake,
  dispatch,
  type FakeChannel,
  type FakeInteraction,
  type FakeUser,
  type FakeWorld,
} from './world.ts';

export interface FakeDiscordOptions {
  /** Whether the message-content intent is switched on; true when absent. */
  readonly contentIntent?: boolean;
  /** Messages in five seconds of one channel; 1,000 when absent. */
  readonly sendsPerWindow?: number;
  readonly nonceMs?: number;
  readonly interactionMs?: number;
  readonly heartbeatMs?: number;
  readonly identifies?: number;
}

/** A fake Discord: one bot, one server with a text channel and a forum, and private channels. */
export interface FakeDiscord extends FakePlatform {
  readonly gateway: FakeGateway;
  readonly world: FakeWorld;
  /** The text channel of the server. */
  readonly textChannel: string;
  readonly forum: string;
  say(text: string, from?: FakeSaying): string;
  press(platformId: string, label: string, from?: Speaker): FakeInteraction;
  /** A person uses a command of the application (interaction type 2). */
  command(name: string, argument?: string, from?: Speaker): FakeInteraction;
  /** A person sends the form (type 9) with which `opened` was answered. */
  submit(opened: FakeInteraction, text: string, from?: Speaker): FakeInteraction;
  /** A thread of a text channel, or a post of a forum. With `id`, the thread of that message. */
  createThread(parent: string, id?: string): FakeChannel;
  /** Deletes a message, with `MESSAGE_DELETE`. */
  remove(messageId: string): void;
  /** Adds the preview of a link: `MESSAGE_UPDATE` without `edited_timestamp`. */
  addPreview(messageId: string): void;
  setToken(token: string): void;
}

/** Starts Discord on loopback: gateway v10 over WebSocket, REST and the CDN. */
export async function startFakeDiscord(options: FakeDiscordOptions = {}): Promise<FakeDiscord> {
  const world = createWorld(options);
  const gateway = createFakeGateway(world);
  const server = await startFakeServer({
    answer: (call) => answerCall(world, call),
    upgrade: gateway.upgrade,
  });
  world.url = server.url;
  const person = userNamed(world, 'ada').id;
  const place = addChannel(world, { type: CHANNEL.private, name: 'ada' }).id;
  const inGuild = { guildId: world.guild.id };
  const textChannel = addChannel(world, { type: CHANNEL.text, name: 'general', ...inGuild }).id;
  const forum = addChannel(world, { type: CHANNEL.forum, name: 'help', ...inGuild }).id;
  const from = (speaker: Speaker = {}) => ({
    user: userNamed(world, speaker.person ?? person),
    channelId: placeNamed(world, speaker.place ?? place),
  });
  return {
    ...{ server, gateway, world, place, person, textChannel, forum },
    settings: { token: world.token, api: `${server.url}/api` },
    say: (text, saying = {}) => sayIn(world, text, from(saying), saying),
    press(platformId, label, speaker = {}) {
      const message = findMessage(world, platformId);
      const pressed = [...message.components, ...(world.oldButtons.get(platformId) ?? [])]
        .flatMap(({ components }) => components)
        .find((button) => button.label === label);
      if (pressed === undefined) throw new Error(`The message has no button "${label}".`);
      const data = { custom_id: pressed.custom_id, component_type: 2 };
      const { user } = from(speaker);
      const channelId = message.channel_id;
      return addInteraction(world, { type: 3, user, channelId, messageId: platformId, data });
    },
    command(name, argument, speaker) {
      const given =
        argument === undefined ? {} : { options: [{ name: 'argument', type: 3, value: argument }] };
      return addInteraction(world, { type: 2, ...from(speaker), data: { id: '1', type: 1, name, ...given } });
    },
    submit: (opened, text, speaker = {}) => submitForm(world, opened, text, from(speaker).user),
    createThread: (parent, id) => addThread(world, parent, id),
    shown: (at = place) => shownIn(world, placeNamed(world, at)),
    isAcknowledged(messageId) {
      const is = [...world.sessions.values()].some(({ events, acknowledged }) =>
        events.some(({ s, d }) => s <= acknowledged && d.id === messageId),
      );
      if (!is) gateway.askHeartbeat();
      return is;
    },
    remove(messageId) {
      const { id, channel_id: channelId } = findMessage(world, messageId);
      const { messages } = channelOf(world, channelId);
      messages.splice(
        messages.findIndex((one) => one.id === id),
        1,
      );
      dispatch(world, 'MESSAGE_DELETE', { id, channel_id: channelId });
    },
    addPreview(messageId) {
      dispatch(world, 'MESSAGE_UPDATE', { ...findMessage(world, messageId), embeds: [{ type: 'link' }] });
    },
    setToken(token) {
      world.token = token;
    },
    [Symbol.asyncDispose]: () => server.down(),
  };
}

function createWorld(options: FakeDiscordOptions): FakeWorld {
  const ids = { lastSnowflake: 0n };
  const id = (): string => createSnowflake(ids);
  const bot: FakeUser = { id: id(), username: 'plugboard', bot: true };
  return {
    url: '',
    bot,
    applicationId: id(),
    guild: { id: id(), roleId: id() },
    ...{ users: new Map(), channels: new Map(), files: new Map(), sessions: new Map() },
    ...{
      interactions: new Map(),
      oldButtons: new Map(),
      nonces: new Map(),
      sends: new Map(),
      pings: [],
      typings: [],
    },
    token: `${Buffer.from(bot.id).toString('base64url')}.${id()}.fake-token-${id()}`,
    contentIntent: options.contentIntent ?? true,
    isInServer: true,
    remainingIdentifies: options.identifies ?? 1_000,
    ...{ identifies: 0, resumes: 0, commands: [], deaf: false, mute: false, silent: false },
    sendsPerWindow: options.sendsPerWindow ?? 1_000,
    nonceMs: options.nonceMs ?? 180_000,
    interactionMs: options.interactionMs ?? 3_000,
    heartbeatMs: options.heartbeatMs ?? 41_250,
    lastSnowflake: ids.lastSnowflake,
  };
}
