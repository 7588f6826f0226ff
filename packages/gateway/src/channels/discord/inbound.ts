import { type APIAttachment, type APIMessage, MessageReferenceType, MessageType } from '@discordjs/core';
import { readCommand } from '../../sessions/commands.ts';
import type { Inbound } from '../channel.ts';
import type { ChannelFacts } from './guilds.ts';

/** A message of a person, whose `attachments` are not downloaded yet. */
export interface HeardMessage {
  readonly inbound: Inbound;
  readonly attachments: readonly APIAttachment[];
}

interface Hearing {
  readonly botId: string;
  readonly facts: ChannelFacts;
  /** The role of the bot in the server. */
  readonly roleId: string | undefined;
}

/** The message of an event, or of the history. A message of the history has no `member`. */
export type GivenMessage = APIMessage & {
  readonly guild_id?: string;
  readonly channel_type?: number;
  readonly member?: { readonly nick?: string | null };
};

/** Whether a person has written it. Bots, webhooks and message types other than 0 and 19 are left out. */
export function isFromPerson({ author, webhook_id: webhook, type }: GivenMessage): boolean {
  const isPerson = author?.bot !== true && webhook === undefined;
  return isPerson && (type === MessageType.Default || type === MessageType.Reply);
}

/** Undefined when text and attachments are empty, as without the message-content intent. */
export function hearMessage(message: GivenMessage, hearing: Hearing): HeardMessage | undefined {
  const { facts } = hearing;
  const text = textOf(message, hearing);
  const attachments = allAttachments(message);
  if (text === '' && attachments.length === 0) return undefined;
  const { id: messageId, channel_id: place, author, member } = message;
  const senderName = member?.nick ?? author.global_name ?? author.username;
  const isReply = message.type === MessageType.Reply;
  const repliesTo = isReply ? message.message_reference?.message_id : undefined;
  const isGroup = facts.guildId !== undefined;
  const group = { place: facts.parentId ?? place, addressed: isAddressed(message, text, hearing) };
  const inbound: Inbound = {
    ...{ place, messageId, text, sender: author.id, senderName },
    ...(isGroup ? { group } : {}),
    ...(repliesTo === undefined ? {} : { repliesTo }),
  };
  return { inbound, attachments };
}

function isAddressed(message: GivenMessage, text: string, { botId, roleId }: Hearing): boolean {
  const { mentions = [], mention_roles: roles = [], referenced_message: original } = message;
  return (
    mentions.some(({ id }) => id === botId) ||
    (roleId !== undefined && roles.includes(roleId)) ||
    original?.author.id === botId ||
    readCommand(text) !== undefined
  );
}

/** The text without a leading mention of `botId`; other mentions become `@name`. */
function textOf(message: GivenMessage, { botId, roleId }: Hearing): string {
  const { content = '', sticker_items: stickers = [], poll } = message;
  const mark = new RegExp(`^\\s*<@(!?${botId}|&${roleId ?? botId})>[\\s,:]*`);
  const bare = content.replace(mark, '').trim();
  const forwarded = isForward(message) ? (message.message_snapshots?.[0]?.message.content ?? '') : '';
  const parts = [
    nameMentions(message, bare),
    forwarded === '' ? '' : `[Forwarded] ${forwarded}`,
    ...stickers.map(({ name }) => `[Sticker: ${name}]`),
    poll?.question.text === undefined ? '' : `[Poll: ${poll.question.text}]`,
  ];
  const text = parts.filter((part) => part !== '').join('\n');
  const isBare = text === '' && allAttachments(message).length === 0;
  return isBare ? nameMentions(message, content.trim()) : text;
}

function nameMentions({ mentions = [] }: GivenMessage, text: string): string {
  return text.replace(/<@!?(\d+)>/g, (mark, id: string) => {
    const person = mentions.find((one) => one.id === id);
    return person === undefined ? mark : `@${person.global_name ?? person.username}`;
  });
}

function isForward({ message_reference: reference }: GivenMessage): boolean {
  return reference?.type === MessageReferenceType.Forward;
}

function allAttachments(message: GivenMessage): readonly APIAttachment[] {
  const forwarded = isForward(message) ? (message.message_snapshots ?? []) : [];
  const attachments = [
    ...(message.attachments ?? []),
    ...forwarded.flatMap((snapshot) => snapshot.message.attachments ?? []),
  ];
  if (!attachments.every(isAttachment)) throw new TypeError('An attachment is malformed.');
  return attachments;
}

function isAttachment({ id, filename, url, size, content_type: type = '' }: APIAttachment): boolean {
  const texts: readonly unknown[] = [id, filename, url, type];
  return texts.every((text) => typeof text === 'string') && Number.isFinite(size);
}
