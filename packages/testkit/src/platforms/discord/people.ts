import type { ShownMessage, Speaker } from '../fake-platform.ts';
import { addInteraction } from './interactions.ts';
import { addMessage, keepFile } from './messages.ts';
import {
  CHANNEL,
  channelOf,
  createSnowflake,
  dispatch,
  type FakeChannel,
  type FakeInteraction,
  type FakeMessage,
  type FakeRow,
  type FakeUser,
  type FakeWorld,
  showChannel,
} from './world.ts';

/** A message of a person, beyond its text. */
export interface FakeSaying extends Speaker {
  /** Sets `mentions`; the text is as given. */
  readonly mentions?: readonly string[];
  readonly roles?: readonly string[];
  /** The message that this one replies to. Null in `referenced_message` where it was deleted. */
  readonly replyTo?: string;
  readonly files?: readonly { readonly name: string; readonly type?: string; readonly bytes: Uint8Array }[];
  /** Further fields of the message. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Whether `MESSAGE_CREATE` is left out: only the history has it. */
  readonly unseen?: true;
}

/** The person with this id or `username`; created when missing. */
export function userNamed(world: FakeWorld, name: string): FakeUser {
  const known = world.users.get(name) ?? [...world.users.values()].find((user) => user.username === name);
  if (known !== undefined) return known;
  const user = { id: createSnowflake(world), username: name, global_name: name.toUpperCase() };
  world.users.set(user.id, user);
  return user;
}

export function addChannel(
  world: FakeWorld,
  fields: Partial<FakeChannel> & Pick<FakeChannel, 'type' | 'name'>,
) {
  const id = fields.id ?? createSnowflake(world);
  const channel: FakeChannel = { messages: [], locked: false, archived: false, hidden: false, ...fields, id };
  world.channels.set(id, channel);
  return channel;
}

export function addThread(world: FakeWorld, parentId: string, id?: string): FakeChannel {
  const { guildId } = channelOf(world, parentId);
  const thread = addChannel(world, {
    ...{ type: CHANNEL.thread, name: 'thread', parentId },
    ...(guildId === undefined ? {} : { guildId }),
    ...(id === undefined ? {} : { id }),
  });
  dispatch(world, 'THREAD_CREATE', showChannel(world, thread));
  return thread;
}

/** The channel with this id or `name`; a private one is created when missing. */
export function placeNamed(world: FakeWorld, place: string): string {
  if (world.channels.has(place)) return place;
  const known = [...world.channels.values()].find(({ name }) => name === place);
  return (known ?? addChannel(world, { type: CHANNEL.private, name: place })).id;
}

export function findMessage(world: FakeWorld, messageId: string): FakeMessage {
  const all = [...world.channels.values()].flatMap(({ messages }) => messages);
  const message = all.find(({ id }) => id === messageId);
  if (message === undefined) throw new Error(`The fake has no message ${messageId}.`);
  return message;
}

interface From {
  readonly user: FakeUser;
  readonly channelId: string;
}

export function sayIn(
  world: FakeWorld,
  content: string,
  { user, channelId }: From,
  saying: FakeSaying,
): string {
  const { mentions = [], roles = [], replyTo, files = [], fields = {}, unseen } = saying;
  const channel = channelOf(world, channelId);
  const all = [...world.channels.values()].flatMap(({ messages }) => messages);
  const reply =
    replyTo === undefined
      ? {}
      : {
          type: 19,
          message_reference: { type: 0, message_id: replyTo, channel_id: channelId },
          referenced_message: all.find(({ id }) => id === replyTo) ?? null,
        };
  const people = [...world.users.values(), world.bot];
  const sessions = [...world.sessions];
  if (unseen === true) world.sessions.clear();
  const message = addMessage(world, channel, {
    author: user,
    content,
    mentions: people.filter(({ id }) => mentions.includes(id)),
    mention_roles: roles,
    attachments: files.map(({ name, type = 'application/octet-stream', bytes }) =>
      keepFile(world, name, { type, bytes }),
    ),
    ...reply,
    ...fields,
  });
  for (const [id, session] of sessions) world.sessions.set(id, session);
  return message.id;
}

export function submitForm(
  world: FakeWorld,
  opened: FakeInteraction,
  text: string,
  user: FakeUser,
): FakeInteraction {
  const { answer, channelId, messageId } = opened;
  if (answer?.type !== 9) throw new Error('The interaction was not answered with a form.');
  const { custom_id: customId, components } = answer.data as {
    custom_id: string;
    components: readonly { component: { custom_id: string } }[];
  };
  const field = components[0]?.component.custom_id ?? '';
  const value = { type: 18, id: 1, component: { type: 4, id: 2, custom_id: field, value: text } };
  return addInteraction(world, {
    ...{ type: 5, user, channelId },
    ...(messageId === undefined ? {} : { messageId }),
    data: { custom_id: customId, components: [value] },
  });
}

export function shownIn(world: FakeWorld, channelId: string): ShownMessage[] {
  const own = channelOf(world, channelId).messages.filter(({ author }) => author.id === world.bot.id);
  return own.map(({ id, content, attachments, components }) => ({
    platformId: id,
    text: readMarks(content),
    files: attachments.map(({ filename }) => filename),
    buttons: (components as readonly FakeRow[]).flatMap((row) => row.components.map(({ label }) => label)),
  }));
}

/** The text without `**`, `__`, `~~` and backslashes. */
function readMarks(content: string): string {
  return content.replace(/(?<!\\)(\*\*|__|~~)/g, '').replace(/\\([\\*_~`|>#\-+[\]()<@])/g, '$1');
}
