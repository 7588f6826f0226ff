import type { ChannelKind } from '../kind.ts';
import { personProblem } from '../person-problem.ts';
import { settingsProblem, type TelegramSettings, telegramFields, tokenProblem } from './settings.ts';

export const telegramKind: ChannelKind<TelegramSettings> = {
  name: 'telegram',
  title: 'Telegram',
  fields: telegramFields,
  account: 'token',
  settingsProblem,
  personProblem,
  packages: ['grammy'],
  setup: {
    steps: [
      'In Telegram, open a chat with @BotFather and send /newbot.',
      'Choose a name, then a username that ends in "bot".',
      'Copy the token that @BotFather answers with.',
      'For groups in which the bot is to read everything: send /setprivacy, choose the bot, then Disable.',
    ],
    questions: [{ field: 'token', question: 'Token of the bot', secret: true, check: tokenProblem }],
  },
  load: () => import('./telegram.ts'),
};
