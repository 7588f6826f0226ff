import { z } from 'zod';
import { oneOf } from '../../config/kinds.ts';
import { secretField } from '../../config/secret.ts';
import { apiField } from '../api-field.ts';

export const slackFields = z.strictObject({
  mode: oneOf(['socket', 'http'])
    .default('socket')
    .describe(
      'How Slack reaches the gateway: a connection of Socket Mode, or signed requests to /hooks/NAME.',
    ),
  bot_token: secretField().describe('The bot token of the app (xoxb-…).'),
  app_token: secretField()
    .optional()
    .describe('The app-level token with connections:write (xapp-…), for Socket Mode.'),
  signing_secret: secretField().optional().describe('The signing secret of the app, for the mode http.'),
  reply_in_thread: z
    .boolean()
    .default(true)
    .describe('In channels, a message outside of a thread is answered in a thread of its own.'),
  api: apiField('https://slack.com/api/').describe('The address of the Web API.'),
});

export type SlackSettings = z.infer<typeof slackFields>;

/** Reason when a token lacks its `prefix`; undefined otherwise. */
export function tokenProblem(token: string, prefix: 'xoxb-' | 'xapp-'): string | undefined {
  const what = prefix === 'xoxb-' ? 'bot token' : 'app-level token';
  return token.startsWith(prefix) ? undefined : `This is no ${what}: those begin with ${prefix}`;
}

/** Reason when a secret of the `mode` is missing; undefined otherwise. */
export function settingsProblem({
  mode,
  app_token: appToken,
  signing_secret: secret,
}: SlackSettings): string | undefined {
  if (mode === 'socket' && appToken === undefined)
    return 'Socket Mode needs "app_token": Basic Information, App-Level Tokens, with the scope connections:write.';
  if (mode === 'http' && secret === undefined)
    return 'The mode http needs "signing_secret": Basic Information, App Credentials.';
  return undefined;
}
