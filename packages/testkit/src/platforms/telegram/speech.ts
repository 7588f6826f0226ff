import type { FakePlatform, Speaker } from '../fake-platform.ts';
import type { UpdateQueue } from './queue.ts';
import {
  type ApiObject,
  type BotMessage,
  chatOfPlace,
  type FakeUser,
  nameOfMessage,
  nextMessageId,
  type World,
} from './world.ts';

/** A message of a person, with any fields of `Message` in the Bot API. Missing fields get defaults. */
export type PersonMessage = ApiObject & {
  /** Place in which it is said; the private conversation of the fake when absent. */
  readonly place?: string;
  readonly chat?: number;
  readonly person?: string;
  /** Name of the message that it replies to. */
  readonly replyTo?: string;
};

export interface Speech extends Pick<FakePlatform, 'say' | 'press'> {
  receive(message: PersonMessage): string;
  album(messages: readonly PersonMessage[]): string[];
}

/** Actions of people: they write, send albums and press buttons. */
export function createSpeech(world: World, queue: UpdateQueue, home: string): Speech {
  let albums = 0;
  const receive = (message: PersonMessage): string => {
    const made = messageOf(world, message, home);
    queue.add({ message: made });
    return nameOfMessage((made.chat as { id: number }).id, made.message_id as number);
  };
  return {
    receive,
    say: (text, from = {}) => receive({ ...placeOfSpeaker(from), text }),
    album(messages) {
      albums += 1;
      return messages.map((message) => receive({ ...message, media_group_id: `in-${albums}` }));
    },
    press(platformId, label, from = {}) {
      const message = world.messages.find(({ chat, id }) => nameOfMessage(chat, id) === platformId);
      const data = message === undefined ? undefined : buttonData(message, label);
      if (message === undefined || data === undefined)
        throw new Error(`${platformId} has no button "${label}".`);
      const id = `press-${world.presses.size + world.answers.length + 1}-${world.nextUpdate}`;
      world.presses.set(id, performance.now());
      queue.add({
        callback_query: {
          id,
          from: userOf(from.person ?? String(message.chat)),
          chat_instance: '1',
          data,
          message: pressedMessage(world, message),
        },
      });
    },
  };
}

function placeOfSpeaker({ place, person }: Speaker): PersonMessage {
  return { ...(place === undefined ? {} : { place }), ...(person === undefined ? {} : { person }) };
}

function messageOf(world: World, message: PersonMessage, home: string): ApiObject {
  const { place = home, chat: given, person, replyTo, ...fields } = message;
  const { chat: id, thread } = given === undefined ? chatOfPlace(place) : { chat: given, thread: undefined };
  // A new place is a private conversation with the person whose id it has.
  const chat = world.chats.get(id) ?? { id, type: 'private' as const };
  world.chats.set(id, chat);
  const text = fields.text === undefined ? {} : { entities: entitiesOf(String(fields.text)) };
  const reply = replyTo === undefined ? {} : { reply_to_message: repliedMessage(world, replyTo) };
  return {
    message_id: fields.message_id ?? nextMessageId(world, id),
    date: Math.floor(Date.now() / 1_000),
    chat,
    from: userOf(person ?? (id > 0 ? String(id) : home)),
    ...(thread === undefined ? {} : { message_thread_id: thread, is_topic_message: true }),
    ...text,
    ...reply,
    ...fields,
  };
}

function userOf(person: string): FakeUser {
  return { id: Number(person), is_bot: false, first_name: `Person ${person}` };
}

/** Commands and mentions, as Telegram marks them. */
function entitiesOf(text: string): readonly ApiObject[] {
  const command = /^\/[a-z0-9_]+(@\w+)?/i.exec(text)?.[0];
  const entities: ApiObject[] =
    command === undefined ? [] : [{ type: 'bot_command', offset: 0, length: command.length }];
  for (const { 0: name, index } of text.matchAll(/(?<![\w/])@\w{3,}/g))
    if (command === undefined || index >= command.length)
      entities.push({ type: 'mention', offset: index, length: name.length });
  return entities;
}

function repliedMessage(world: World, name: string): ApiObject {
  const found = world.messages.find(({ chat, id }) => nameOfMessage(chat, id) === name);
  const [chat = '', id] = name.split('#');
  const base = { message_id: Number(id), date: 1, chat: world.chats.get(Number(chat)) };
  return found === undefined
    ? { ...base, from: userOf('9999') }
    : { ...base, from: world.bot, text: found.text };
}

function buttonData({ markup, oldMarkup }: BotMessage, label: string): string | undefined {
  const rows = [markup, oldMarkup].flatMap(
    (one) => (one?.inline_keyboard ?? []) as readonly (readonly ApiObject[])[],
  );
  const found = rows.flat().find(({ text }) => text === label);
  return found === undefined ? undefined : String(found.callback_data);
}

function pressedMessage(world: World, { chat, thread, id, text }: BotMessage): ApiObject {
  return {
    message_id: id,
    date: Math.floor(Date.now() / 1_000),
    chat: world.chats.get(chat),
    from: world.bot,
    text,
    ...(thread === undefined ? {} : { message_thread_id: thread, is_topic_message: true }),
  };
}
