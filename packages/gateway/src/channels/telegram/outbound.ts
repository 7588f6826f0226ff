import type { Clock } from '../../clock.ts';
import type { Channel, Outgoing, SendContext, Sent } from '../channel.ts';
import type { Client } from './client.ts';
import { createFloodWatch } from './flood-watch.ts';
import { readUploads } from './outgoing-files.ts';
import { type Migrations, messageName, readMessageName, type Target, targetOf } from './places.ts';
import {
  CAPTION_LENGTH,
  chatOf,
  keyboardOf,
  postFiles,
  postText,
  TEXT_LENGTH,
  withFormat,
} from './post-message.ts';
import { isNotModified, isThreadGone, TelegramError } from './telegram-error.ts';

export interface OutboundOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly migrations: Migrations;
  /** Called with ids of a group and its supergroup, after a `migrate_to_chat_id`. */
  readonly onMigration: (from: number, to: number) => void;
}

/** `send`, `edit` and `typing` of the channel. */
export function createOutbound(
  options: OutboundOptions,
): Required<Pick<Channel, 'send' | 'edit' | 'typing'>> {
  const { client, clock, migrations } = options;
  const watch = createFloodWatch(clock);
  return {
    send: (place, body, { signal }) =>
      watch(place, () =>
        inCurrentChat(options, targetOf(place), (target) => sendBody(client, target, body, signal)),
      ),
    edit: (place, platformId, body) =>
      watch(place, () => {
        // The name has the chat of then: when that has become a supergroup, Telegram refuses the edit for good.
        const { chat, id } = readMessageName(platformId);
        return editText(client, chat, id, body);
      }),
    typing: (place) =>
      watch(place, async () => {
        const { chat, thread } = targetOf(place);
        const to = chatOf({ chat: migrations.current(chat), ...(thread === undefined ? {} : { thread }) });
        await client.call((raw, ending) => raw.sendChatAction({ ...to, action: 'typing' }, ending));
      }),
  };
}

/**
 * Sends to the present id of a chat. Both second attempts are safe, because a 400 proves that the first was not sent. The
 * answer for a deleted topic goes to the group.
 */
async function inCurrentChat(
  { migrations, onMigration }: OutboundOptions,
  { chat, ...topic }: Target,
  send: (target: Target) => Promise<Sent>,
): Promise<Sent> {
  const target = { ...topic, chat: migrations.current(chat) };
  try {
    return await send(target);
  } catch (error) {
    if (error instanceof TelegramError && error.migratedTo !== undefined) {
      onMigration(chat, error.migratedTo);
      return send({ chat: error.migratedTo });
    }
    if (!isThreadGone(error) || topic.thread === undefined) throw error;
    return send({ chat: target.chat });
  }
}

async function sendBody(
  client: Client,
  target: Target,
  body: Outgoing,
  signal: SendContext['signal'],
): Promise<Sent> {
  const { files, refused } = await readUploads(body.media);
  const text = joinText(body.text, refused, files.length === 0 ? TEXT_LENGTH : CAPTION_LENGTH);
  const id =
    files.length === 0
      ? await postText(client, target, { ...body, text }, signal)
      : await postFiles(client, target, { files, caption: text }, signal);
  // Telegram returns `message_id: 0` for a message that it has scheduled: it cannot be edited.
  return id === 0 ? {} : { platformId: messageName(target.chat, id) };
}

/** Appends `remarks` about files while the text stays within `longest`. */
function joinText(text: string, remarks: readonly string[], longest: number): string {
  let joined = text;
  for (const remark of remarks) {
    const longer = joined === '' ? remark : `${joined}\n${remark}`;
    if (longer.length <= longest) joined = longer;
  }
  return joined;
}

async function editText(
  client: Client,
  chat: number,
  id: number,
  { text, buttons = [] }: Outgoing,
): Promise<void> {
  const keyboard = keyboardOf(buttons);
  try {
    await withFormat(text, TEXT_LENGTH, (formatted) =>
      client.call((raw, ending) =>
        raw.editMessageText(
          {
            chat_id: chat,
            message_id: id,
            ...formatted,
            ...(keyboard === undefined ? {} : { reply_markup: keyboard }),
            link_preview_options: { is_disabled: true },
          },
          ending,
        ),
      ),
    );
  } catch (error) {
    if (!isNotModified(error)) throw error;
  }
}
