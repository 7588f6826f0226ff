import type { Chat, Message } from 'grammy/types';
import type { Inbound } from '../channel.ts';
import { type Bot, isAddressed, repliedMessage } from './bot.ts';
import type { Downloads } from './incoming-files.ts';
import { messageText } from './message-text.ts';
import { messageName, placeOf } from './places.ts';

/**
 * A message, or the messages of an album in their order. Undefined for service messages and other bots: `receive` is not
 * called.
 */
export function inboundOf(messages: readonly Message[], bot: Bot, downloads: Downloads): Inbound | undefined {
  const [first] = messages;
  if (first === undefined) return undefined;
  const sender = senderOf(first);
  const files = messages.flatMap((message) => [
    ...downloads(message),
    ...filesOfReply(message, bot, downloads),
  ]);
  const text = messages
    .map((message) => messageText(message, bot))
    .filter((part) => part !== '')
    .join('\n');
  if (sender === undefined || (text === '' && files.length === 0)) return undefined;
  const { chat } = first;
  const place = placeIn(first);
  const replied = repliedMessage(first);
  return {
    place,
    messageId: nameOf(first),
    text,
    ...sender,
    ...(files.length === 0 ? {} : { files }),
    ...(isGroupChat(chat)
      ? {
          group: { place: String(chat.id), addressed: messages.some((message) => isAddressed(message, bot)) },
        }
      : {}),
    ...(replied === undefined || replied.message_id === 0
      ? {}
      : { repliesTo: messageName(chat.id, replied.message_id) }),
  };
}

function isGroupChat({ type }: Pick<Chat, 'type'>): boolean {
  return type === 'group' || type === 'supergroup';
}

/** A plain supergroup sets `message_thread_id` for chains of replies, too: only `is_topic_message` means a topic. */
export function placeIn({ chat, is_topic_message: isTopic, message_thread_id: thread }: Message): string {
  return placeOf({ chat: chat.id, ...(isTopic === true && thread !== undefined ? { thread } : {}) });
}

/** `message_id` is 0 for ephemeral messages, and `ephemeral_message_id` is used again: `date` tells them apart. */
function nameOf({ chat, message_id: id, ephemeral_message_id: ephemeral = 0, date }: Message): string {
  return id === 0 ? `${messageName(chat.id, 0)}.${ephemeral}.${date}` : messageName(chat.id, id);
}

/** An anonymous administrator or a channel writes as a chat; `from` is then a stand-in that all of them share. */
function senderOf({ from, sender_chat: chat }: Message): Pick<Inbound, 'sender' | 'senderName'> | undefined {
  if (chat !== undefined)
    return { sender: senderId(chat), senderName: 'title' in chat ? String(chat.title ?? '') : '' };
  if (from === undefined || from.is_bot) return undefined;
  const name = [from.first_name, from.last_name].filter(Boolean).join(' ');
  return { sender: senderId(from), senderName: name };
}

/** Throws for a malformed id: several people must not become one sender. */
function senderId({ id }: { readonly id: number }): string {
  if (!Number.isSafeInteger(id)) throw new TypeError('The id of the sender is malformed.');
  return String(id);
}

/** In a group, people mention the bot in a reply to a picture, which the agent has not seen. */
function filesOfReply(message: Message, bot: Bot, downloads: Downloads): ReturnType<Downloads> {
  const replied = isGroupChat(message.chat) ? repliedMessage(message) : undefined;
  return replied === undefined || replied.from?.id === bot.id ? [] : downloads(replied);
}
