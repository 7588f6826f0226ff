import { z } from 'zod';
import { secretField } from '../../config/secret.ts';
import { apiField } from '../api-field.ts';

export const discordFields = z.strictObject({
  token: secretField().describe('The token of the bot.'),
  message_content: z
    .boolean()
    .default(true)
    .describe(
      'Read all messages of servers, which needs the message-content intent; without it, only those that mention the bot.',
    ),
  api: apiField('https://discord.com/api').describe('Address of the API, without its version.'),
});

export type DiscordSettings = z.infer<typeof discordFields>;

/** Why a value cannot be the token of a bot; undefined when it can. */
export function tokenProblem(token: string): string | undefined {
  if (/^Bot\s/i.test(token)) return 'Give the token alone, without "Bot" before it.';
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)
    ? undefined
    : 'This is not the token of a bot: it has three parts with dots between them. Bot → Reset Token shows a new one.';
}
