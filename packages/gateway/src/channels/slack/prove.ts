import { systemClock } from '../../clock.ts';
import type { ChannelGiven, Proof } from '../kind.ts';
import { createCalls, type SlackAnswer } from './calls.ts';
import { recordAt, textAt } from './json.ts';
import { BOT_SCOPES } from './manifest.ts';
import { type SlackSettings, settingsProblem } from './settings.ts';

/** Checks both tokens by `auth.test` and `apps.connections.open`, and compares the scopes with `BOT_SCOPES`. */
export async function prove({ settings }: Pick<ChannelGiven<SlackSettings>, 'settings'>): Promise<Proof> {
  const problem = settingsProblem(settings);
  if (problem !== undefined) throw new Error(problem);
  const { api, bot_token: botToken, app_token: appToken, mode } = settings;
  const calls = createCalls({ api, token: botToken.reveal(), clock: systemClock });
  const bot = await calls.call('auth.test', {});
  const app = await calls.call('bots.info', { bot: textAt(bot, 'bot_id') }).then(
    (answer) => textAt(recordAt(answer, 'bot'), 'app_id'),
    () => undefined,
  );
  if (mode === 'socket' && appToken !== undefined)
    await createCalls({ api, token: appToken.reveal(), clock: systemClock }).call(
      'apps.connections.open',
      {},
    );
  const name = `${textAt(bot, 'user') ?? 'the bot'} in ${textAt(bot, 'team') ?? 'the workspace'}`;
  return {
    name,
    // Slack has no link that carries a text: a person types the code.
    link: () => linkTo(bot, app),
    remarks: [...scopeRemarks(bot), ...tokenRemarks(app, appToken?.reveal())],
  };
}

function linkTo(bot: SlackAnswer, app: string | undefined): string {
  const team = textAt(bot, 'team_id') ?? '';
  return app === undefined
    ? `slack://user?team=${team}&id=${textAt(bot, 'user_id') ?? ''}`
    : `slack://app?team=${team}&id=${app}`;
}

function scopeRemarks({ response_metadata: metadata }: SlackAnswer): string[] {
  const { scopes } = metadata ?? {};
  if (scopes === undefined) return [];
  const missing = Object.entries(BOT_SCOPES).filter(([scope]) => !scopes.includes(scope));
  return missing.map(
    ([scope, effect]) =>
      `Without the scope ${scope}, ${effect}. Add it under OAuth & Permissions, and install the app again.`,
  );
}

/** The id of the app stands in its token: `xapp-1-A0123-…`. */
function tokenRemarks(app: string | undefined, appToken = ''): string[] {
  const other = /^xapp-\d+-(A[A-Z0-9]+)-/.exec(appToken)?.[1];
  if (app === undefined || other === undefined || app === other) return [];
  return [`The two tokens belong to different apps (${app} and ${other}): no message will come in.`];
}
