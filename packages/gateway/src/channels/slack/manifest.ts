/** Scopes of the bot token, each with the effect of its absence. */
export const BOT_SCOPES: Readonly<Record<string, string>> = {
  'app_mentions:read': 'mentions in channels are not heard',
  'chat:write': 'nothing can be said',
  'channels:history': 'messages of public channels are not heard',
  'groups:history': 'messages of private channels are not heard',
  'im:history': 'direct messages are not heard',
  'mpim:history': 'messages of groups are not heard',
  'files:read': 'files of people are left out',
  'files:write': 'files of agents are not sent',
  'users:read': 'people are shown by their ids',
  commands: '/plugboard does nothing',
};

/** The slash command of the app; its first word is a command of the gateway. */
export const COMMAND = '/plugboard';

const BOT_EVENTS = [
  'app_mention',
  'message.im',
  'message.channels',
  'message.groups',
  'message.mpim',
  'app_uninstalled',
  'tokens_revoked',
];

/** Describes the app, so that a person need not click through its settings. */
const MANIFEST = {
  display_information: { name: 'Plugboard', description: 'Talks to an agent.' },
  features: {
    bot_user: { display_name: 'Plugboard', always_online: true },
    // Without the messages tab, direct messages fail.
    app_home: { messages_tab_enabled: true, messages_tab_read_only_enabled: false },
    slash_commands: [
      {
        command: COMMAND,
        description: 'Commands of the gateway',
        usage_hint: 'help | stop | new | status',
        should_escape: false,
      },
    ],
  },
  oauth_config: { scopes: { bot: Object.keys(BOT_SCOPES) } },
  settings: {
    event_subscriptions: { bot_events: BOT_EVENTS },
    interactivity: { is_enabled: true },
    socket_mode_enabled: true,
  },
};

/** Opens a page of Slack on which a person creates the app with one click. */
export const MANIFEST_LINK = `https://api.slack.com/apps?new_app=1&manifest_json=${encodeURIComponent(JSON.stringify(MANIFEST))}`;
