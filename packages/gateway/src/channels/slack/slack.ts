import { type Channel, type Ingress, SendError } from '../channel.ts';
import type { ChannelGiven } from '../kind.ts';
import { openConnection, type SlackConnection } from './connection.ts';
import { takeHook } from './hook.ts';
import { MOST_BUTTONS, MOST_SECTION } from './message.ts';
import { escapedLength } from './mrkdwn.ts';
import type { Posts } from './posts.ts';
import { type SlackSettings, settingsProblem } from './settings.ts';

export { prove } from './prove.ts';

/** Most messages of one answer; see `ChannelLimits.longestAnswer`. */
const LONGEST_ANSWER = 10;

/** `chat.update` is limited to 50 calls a minute. */
const EDIT_MS = 1_200;

/** The status of `assistant.threads.setStatus` lasts 120 s. */
const STATUS_MS = 30_000;

/** A channel for one Slack app in one workspace. */
export function create(given: ChannelGiven<SlackSettings>): Channel {
  const { name, settings, progress, clock } = given;
  let connection: SlackConnection | undefined;
  const posts = (): Posts => {
    if (connection === undefined) throw new SendError('later', 'The channel is stopped.');
    return connection.posts;
  };
  return {
    name,
    limits: {
      readsLog: false,
      // As much as a section block holds; marks may add to it, up to the 4,000 of `chat.update`.
      textLength: MOST_SECTION,
      measure: escapedLength,
      media: true,
      longestAnswer: LONGEST_ANSWER,
      buttons: MOST_BUTTONS,
      editIntervalMs: EDIT_MS,
      typingIntervalMs: STATUS_MS,
      oneConnection: settings.mode !== 'http',
      progress,
    },
    async start(ingress: Ingress) {
      const problem = settingsProblem(settings);
      if (problem !== undefined) throw new SendError('never', problem, { stopsChannel: true });
      const opened = openConnection(given, ingress);
      connection = opened;
      await opened.ready;
    },
    send: async (...call) => posts().send(...call),
    edit: async (...call) => posts().edit(...call),
    typing: async (place) => posts().typing(place),
    resolve: async (...call) => posts().resolve(...call),
    async stop() {
      const closing = connection;
      connection = undefined;
      await closing?.close();
    },
    ...(settings.mode === 'http'
      ? {
          async receiveHook(request) {
            const sink = connection?.sink;
            const secret = settings.signing_secret?.reveal();
            return sink === undefined || secret === undefined
              ? { status: 503, body: 'The channel is not started.' }
              : takeHook(request, { secret, clock, sink });
          },
        }
      : {}),
  };
}
