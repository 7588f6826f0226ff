import type { Message, MessageOrigin } from 'grammy/types';
import { type Bot, repliedMessage, textForBot } from './bot.ts';
import { richMessageText } from './rich-text.ts';

const LONGEST_QUOTE = 1_000;

/** `Inbound.text`: text or caption, or a description of a message that has neither. Files are not part of it. */
export function messageText(message: Message, bot: Bot): string {
  const said = [textForBot(message, bot), describe(message)].filter((text) => text !== '').join('\n');
  // A command must stand at the beginning.
  if (said.startsWith('/') && message.forward_origin === undefined) return said;
  return [forwardLine(message.forward_origin), quoteOf(message, bot), said]
    .filter((text) => text !== '')
    .join('\n');
}

/** The line also keeps a forwarded `/stop` from being executed. */
function forwardLine(origin: MessageOrigin | undefined): string {
  return origin === undefined ? '' : `[Forwarded from ${originName(origin)}]`;
}

function originName(origin: MessageOrigin): string {
  if (origin.type === 'user') return origin.sender_user.first_name;
  if (origin.type === 'hidden_user') return origin.sender_user_name;
  const chat = origin.type === 'chat' ? origin.sender_chat : origin.chat;
  return 'title' in chat ? (chat.title ?? 'a chat') : 'a chat';
}

/** Quotes `reply_to_message` of another person, or the part of it that the person has marked (`quote`). */
function quoteOf(message: Message, bot: Bot): string {
  const reply = repliedMessage(message);
  const marked = message.quote?.is_manual === true ? message.quote.text : undefined;
  const other = reply === undefined || reply.from?.id === bot.id ? undefined : (reply.text ?? reply.caption);
  const text = marked ?? other ?? '';
  if (text === '') return '';
  const cut = text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE).toWellFormed()}…` : text;
  return cut
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}

function describe(message: Message): string {
  const { venue, location, contact, poll, dice, story, sticker, checklist, rich_message: rich } = message;
  if (rich !== undefined) return richMessageText(rich);
  if (venue !== undefined) return `[Venue: ${venue.title}, ${venue.address}, ${pointOf(venue.location)}]`;
  if (location !== undefined) return `[Location: ${pointOf(location)}]`;
  if (contact !== undefined)
    return `[Contact: ${[contact.first_name, contact.last_name, contact.phone_number].filter(Boolean).join(' ')}]`;
  if (poll !== undefined)
    return `[Poll: ${poll.question} ${poll.options.map(({ text }) => text).join(' / ')}]`;
  if (dice !== undefined) return `[Dice: ${dice.emoji} ${dice.value}]`;
  if (story !== undefined) return '[A story, which bots cannot see]';
  if (checklist !== undefined)
    return [checklist.title, ...checklist.tasks.map(({ text }) => `- ${text}`)].join('\n');
  return sticker?.emoji ?? '';
}

function pointOf({ latitude, longitude }: { readonly latitude: number; readonly longitude: number }): string {
  return `${latitude} ${longitude}`;
}
