import type { Update } from 'grammy/types';

/** Whether a value of `getUpdates` or of the webhook can be confirmed as an update. */
export function isUpdate(value: unknown): value is Update {
  return isFields(value) && Number.isSafeInteger(value.update_id);
}

/**
 * Reason when `message`, `callback_query` or `my_chat_member` is malformed. `Intake` leaves such an update out: unconfirmed, it
 * would come with each `getUpdates`.
 */
export function updateProblem({ message, callback_query, my_chat_member }: Update): string | undefined {
  if (message !== undefined && !isMessage(message)) return 'It is no message in a chat.';
  if (callback_query !== undefined && !isPress(callback_query)) return 'It is no press of a button.';
  if (my_chat_member !== undefined && !isStatusChange(my_chat_member))
    return 'It is no change of the status of the bot.';
  return undefined;
}

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function hasId(value: unknown): boolean {
  return isFields(value) && Number.isSafeInteger(value.id);
}

function isMessage(value: unknown): boolean {
  if (!isFields(value) || !hasId(value.chat)) return false;
  const { message_id: id, migrate_to_chat_id: to, migrate_from_chat_id: from } = value;
  const isChat = (chat: unknown): boolean => chat === undefined || Number.isSafeInteger(chat);
  return Number.isSafeInteger(id) && isChat(to) && isChat(from);
}

function isPress(value: unknown): boolean {
  if (!isFields(value) || typeof value.id !== 'string' || !hasId(value.from)) return false;
  const { data, message } = value;
  const isText = data === undefined || typeof data === 'string';
  return isText && (message === undefined || isMessage(message));
}

function isStatusChange(value: unknown): boolean {
  if (!isFields(value)) return false;
  const { chat, old_chat_member: before, new_chat_member: after } = value;
  return hasId(chat) && isFields(before) && isFields(after);
}
