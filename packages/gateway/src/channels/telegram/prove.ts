import { systemClock } from '../../clock.ts';
import type { ChannelGiven, Proof } from '../kind.ts';
import { createClient } from './client.ts';
import type { TelegramSettings } from './settings.ts';

/** Asks Telegram who the bot is. Rejects with a sentence when the token is refused. */
export async function prove({ settings }: Pick<ChannelGiven<TelegramSettings>, 'settings'>): Promise<Proof> {
  const client = createClient(settings, systemClock);
  const bot = await client.call((raw, ending) => raw.getMe(ending));
  const webhook = await client.call((raw, ending) => raw.getWebhookInfo(ending));
  const remarks: string[] = [];
  if (!bot.can_join_groups)
    remarks.push('The bot cannot be added to groups: send /setjoingroups to @BotFather, and choose Enable.');
  else if (!bot.can_read_all_group_messages)
    remarks.push(
      'In groups the bot hears only commands, mentions and replies. For more, send /setprivacy to @BotFather, choose Disable, and add the bot to the group again.',
    );
  if (settings.mode === 'polling' && webhook.url !== undefined && webhook.url !== '')
    remarks.push(
      'A webhook is set for this bot, by another program perhaps. It is removed when the channel starts.',
    );
  if (settings.mode === 'webhook' && webhook.url === settings.url && webhook.last_error_message !== undefined)
    remarks.push(`Telegram could not post to the webhook: ${webhook.last_error_message}`);
  return {
    name: `@${bot.username}`,
    link: (code) =>
      `https://t.me/${bot.username}${code === undefined ? '' : `?start=${encodeURIComponent(code)}`}`,
    remarks,
  };
}
