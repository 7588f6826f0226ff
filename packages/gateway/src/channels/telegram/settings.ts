import { z } from 'zod';
import { secretField } from '../../config/secret.ts';
import { apiField } from '../api-field.ts';

export const telegramFields = z.strictObject({
  token: secretField().describe('The token of the bot, from @BotFather.'),
  mode: z
    .enum(['polling', 'webhook'])
    .default('polling')
    .describe('`polling` asks Telegram for messages; with `webhook` Telegram posts them to `url`.'),
  url: z
    .url({ protocol: /^https$/, error: 'Expected an https address: Telegram posts to no other.' })
    .optional()
    .describe('For `webhook`: the public address of `/hooks/NAME` of this gateway.'),
  api: apiField('https://api.telegram.org').describe(
    'The Bot API: the one of Telegram, or a Bot API server of your own.',
  ),
});

export type TelegramSettings = z.infer<typeof telegramFields>;

/** Reason when the `mode` lacks its address; undefined otherwise. */
export function settingsProblem({ mode, url }: Pick<TelegramSettings, 'mode' | 'url'>): string | undefined {
  return mode === 'webhook' && url === undefined
    ? 'The field "url" is needed for mode: webhook. It is the public address of /hooks/NAME.'
    : undefined;
}

/** Why a text cannot be the token of a bot; undefined when it can. */
export function tokenProblem(token: string): string | undefined {
  return /^\d{3,20}:[A-Za-z0-9_-]{20,100}$/.test(token)
    ? undefined
    : 'A token looks like 123456789:AAE…, with a colon: copy all of it from @BotFather.';
}
