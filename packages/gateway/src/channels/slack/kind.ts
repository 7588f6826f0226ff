import type { ChannelKind } from '../kind.ts';
import { personProblem } from '../person-problem.ts';
import { MANIFEST_LINK } from './manifest.ts';
import { type SlackSettings, settingsProblem, slackFields, tokenProblem } from './settings.ts';

export const slackKind: ChannelKind<SlackSettings> = {
  name: 'slack',
  title: 'Slack',
  fields: slackFields,
  account: 'bot_token',
  settingsProblem,
  personProblem,
  packages: ['@slack/web-api', '@slack/socket-mode', 'undici@7'],
  setup: {
    steps: [
      `Open this address, choose your workspace, and press Create: ${MANIFEST_LINK}`,
      'Install App: install it, and copy the bot token (xoxb-…).',
      'Basic Information, App-Level Tokens: generate one with the scope connections:write, and copy it (xapp-…).',
      'Later, in each channel where it is to be: /invite @Plugboard',
    ],
    questions: [
      {
        field: 'bot_token',
        question: 'Bot token (xoxb-…)',
        secret: true,
        check: (value) => tokenProblem(value, 'xoxb-'),
      },
      {
        field: 'app_token',
        question: 'App-level token (xapp-…)',
        secret: true,
        check: (value) => tokenProblem(value, 'xapp-'),
        isAsked: ({ mode }) => mode !== 'http',
      },
      {
        field: 'signing_secret',
        question: 'Signing secret (Basic Information, App Credentials)',
        secret: true,
        isAsked: ({ mode }) => mode === 'http',
      },
    ],
  },
  load: () => import('./slack.ts'),
};
