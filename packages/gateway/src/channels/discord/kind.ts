import type { ChannelKind } from '../kind.ts';
import { personProblem } from '../person-problem.ts';
import { type DiscordSettings, discordFields, tokenProblem } from './settings.ts';

export const discordKind: ChannelKind<DiscordSettings> = {
  name: 'discord',
  title: 'Discord',
  fields: discordFields,
  account: 'token',
  personProblem,
  packages: ['@discordjs/core', '@discordjs/rest', '@discordjs/ws'],
  setup: {
    steps: [
      'Open https://discord.com/developers/applications, press New Application, and give it a name.',
      'Under Bot, switch on "Message Content Intent", and press Reset Token. Copy the token: it is shown once.',
    ],
    questions: [{ field: 'token', question: 'Token of the bot', secret: true, check: tokenProblem }],
  },
  load: () => import('./discord.ts'),
};
