import type { ChatMemberUpdated } from 'grammy/types';

/** Sentence for a `my_chat_member` update; undefined when the bot stays in or out of the chat. */
export function chatStatusChange({
  chat,
  old_chat_member: before,
  new_chat_member: after,
}: ChatMemberUpdated): string | undefined {
  const wasOut = isOut(before.status);
  if (wasOut === isOut(after.status)) return undefined;
  if (chat.type === 'private')
    return wasOut
      ? 'A person has unblocked the bot.'
      : 'A person has blocked the bot: nothing can be sent to this chat.';
  return wasOut ? 'The bot was added to a group.' : 'The bot was removed from a group.';
}

function isOut(status: string): boolean {
  return status === 'kicked' || status === 'left';
}
