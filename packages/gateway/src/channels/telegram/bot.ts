import type { Message, MessageEntity } from 'grammy/types';

/** The bot itself, as `getMe` names it. */
export interface Bot {
  readonly id: number;
  readonly username: string;
}

/** `GroupMessage.addressed`: the message mentions the bot, replies to it or gives it a command. */
export function isAddressed(message: Message, bot: Bot): boolean {
  if (isReplyTo(message, bot)) return true;
  const { text, entities } = markedText(message);
  return entities.some((entity) => {
    const marked = text.slice(entity.offset, entity.offset + entity.length);
    if (entity.type === 'mention') return isName(marked.slice(1), bot);
    if (entity.type === 'text_mention') return entity.user.id === bot.id;
    return entity.type === 'bot_command' && entity.offset === 0 && isOwnCommand(marked, bot);
  });
}

/** Each message of a topic replies to its `forum_topic_created`, which the bot itself may have sent. */
export function repliedMessage({ reply_to_message: reply, ...message }: Message): Message | undefined {
  const isTopicStart = message.is_topic_message === true && reply?.message_id === message.message_thread_id;
  return isTopicStart ? undefined : (reply as Message | undefined);
}

function isReplyTo(message: Message, { id }: Bot): boolean {
  return repliedMessage(message)?.from?.id === id;
}

function isName(name: string, { username }: Bot): boolean {
  return name.toLowerCase() === username.toLowerCase();
}

/** `/stop` is for every bot, `/stop@name` for one. */
function isOwnCommand(command: string, bot: Bot): boolean {
  const [, name] = command.split('@');
  return name === undefined || isName(name, bot);
}

/** Text or caption, with its entities: their offsets count UTF-16 units, as strings do. */
function markedText({ text, entities, caption, caption_entities: captionEntities }: Message): {
  readonly text: string;
  readonly entities: readonly MessageEntity[];
} {
  return text === undefined
    ? { text: caption ?? '', entities: captionEntities ?? [] }
    : { text, entities: entities ?? [] };
}

/** The text without the name of the bot: behind a command, at the beginning, and at the end. */
export function textForBot(message: Message, bot: Bot): string {
  const { text, entities } = markedText(message);
  const [first] = entities;
  if (first?.type === 'bot_command' && first.offset === 0) {
    const command = text.slice(0, first.length);
    return isOwnCommand(command, bot) ? `${command.split('@')[0]}${text.slice(first.length)}` : text;
  }
  const name = `@${bot.username}`.toLowerCase();
  let bare = text.trim();
  if (bare.toLowerCase().startsWith(name) && !/^[A-Za-z0-9_]/.test(bare.slice(name.length)))
    bare = bare.slice(name.length).replace(/^[\s,:]+/, '');
  if (bare.toLowerCase().endsWith(` ${name}`)) bare = bare.slice(0, -name.length).trimEnd();
  return bare === text.trim() ? text : bare;
}
