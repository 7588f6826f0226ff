import type { Ingress } from '../channel.ts';
import type { ChannelGiven } from '../kind.ts';
import { createCalls, type SlackCalls } from './calls.ts';
import { resultInTime } from './deadline.ts';
import type { EventSink } from './hook.ts';
import { type EventReader, readMessageEvent, readStopEvent, type Said } from './inbound.ts';
import { incomingFiles } from './incoming-files.ts';
import { createIntake, type Intake } from './intake.ts';
import { createInteractions } from './interactions.ts';
import { type Json, recordAt, textAt } from './json.ts';
import { createNames } from './names.ts';
import { readPlace } from './place.ts';
import { createPosts, type Posts } from './posts.ts';
import { createQuestionPlaces, type QuestionPlaces } from './questions.ts';
import type { SlackSettings } from './settings.ts';
import { readSlashCommand } from './slash-command.ts';
import { createSocketLink, type SocketLink } from './socket.ts';

/** A started channel. */
export interface SlackConnection {
  readonly posts: Posts;
  readonly sink: EventSink;
  /** Settles when messages of people can come in. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

type Given = ChannelGiven<SlackSettings>;

interface Parts {
  readonly given: Given;
  readonly ingress: Ingress;
  readonly calls: SlackCalls;
  readonly intake: Intake;
  readonly questions: QuestionPlaces;
  readonly end: AbortController;
  readonly nameOf: (user: string) => Promise<string | undefined>;
  /** User id of the bot, from `auth.test`. */
  readonly botUser: Promise<string>;
}

export function openConnection(given: Given, ingress: Ingress): SlackConnection {
  const { settings, clock, log, name } = given;
  const calls = createCalls({ api: settings.api, token: settings.bot_token.reveal(), clock });
  const questions = createQuestionPlaces();
  const botUser = calls.call('auth.test', {}).then((answer) => textAt(answer, 'user_id') ?? '');
  botUser.catch(() => {});
  const parts: Parts = {
    ...{ given, ingress, calls, questions, botUser, end: new AbortController() },
    intake: createIntake(clock, log, name),
    nameOf: createNames(calls),
  };
  const sink = createSink(parts);
  const link = createLink(parts, sink);
  return {
    posts: createPosts({ calls, clock, questions }),
    sink,
    ready: openLink(botUser, link),
    async close() {
      parts.end.abort();
      parts.intake.stop();
      calls.stop();
      await link?.close();
    },
  };
}

async function openLink(botUser: Promise<string>, link: SocketLink | undefined): Promise<void> {
  await botUser;
  await link?.open();
}

function createLink({ given, ingress }: Parts, sink: EventSink): SocketLink | undefined {
  const { settings, clock, log, name: channel } = given;
  if (settings.mode === 'http' || settings.app_token === undefined) return undefined;
  const appToken = settings.app_token.reveal();
  return createSocketLink({ appToken, api: settings.api, clock, log, channel, sink, onFail: ingress.fail });
}

function createSink(parts: Parts): EventSink {
  const { given, ingress, calls } = parts;
  const { clock, log, name: channel, commands } = given;
  const interactions = createInteractions({ calls, ingress, clock, log, channel });
  return {
    takeEvent: (payload) => takeEvent(parts, payload),
    takeInteraction: interactions.take,
    async takeCommand(payload) {
      const typed = readSlashCommand(payload, { commands, startsThreads: startsThreads(given) });
      if ('answer' in typed) return typed.answer;
      // Slack does not redeliver a command, and shows an error when its acknowledgement takes over 3 s.
      await resultInTime(clock, takeSaid(parts, typed.said));
      return undefined;
    },
  };
}

function startsThreads({ settings, sessions }: Given): boolean {
  return settings.reply_in_thread && sessions !== 'group';
}

async function takeEvent(parts: Parts, payload: Json): Promise<void> {
  const { ingress, given, questions } = parts;
  const event = recordAt(payload, 'event');
  const botUser = await parts.botUser;
  const ending = endingOf(event, botUser);
  if (ending !== undefined) return void setImmediate(() => ingress.fail(ending));
  const reader: EventReader = { botUser, questions, startsThreads: startsThreads(given) };
  const said = readSaid(event, textAt(payload, 'event_id') ?? '', reader);
  if (said !== undefined) await takeSaid(parts, said);
}

function readSaid(event: Json, eventId: string, reader: EventReader): Said | undefined {
  if (event.type === 'agent_session_stopped') return readStopEvent(event, eventId);
  return event.type === 'message' || event.type === 'app_mention'
    ? readMessageEvent(event, reader)
    : undefined;
}

/** The reason for `Ingress.fail` after `app_uninstalled` or `tokens_revoked`; undefined for other events. */
function endingOf(event: Json, botUser: string): string | undefined {
  if (event.type === 'app_uninstalled') return 'The app was removed from the workspace.';
  const { bot } = recordAt(event, 'tokens');
  const isRevoked = event.type === 'tokens_revoked' && Array.isArray(bot) && bot.includes(botUser);
  return isRevoked ? 'The bot token was revoked: install the app again.' : undefined;
}

/** Settles when `receive` has. The twin of an `app_mention` and a redelivery settle with the first event of that `ts`. */
function takeSaid(
  { intake, ingress, nameOf, given, calls, end }: Parts,
  { message, files }: Said,
): Promise<void> {
  const { settings, mediaBytes, clock } = given;
  const { place, messageId, sender } = message;
  const token = settings.bot_token.reveal();
  return intake.take(place, `${readPlace(place).channel} ${messageId}`, async () => {
    const senderName = await nameOf(sender);
    const options = { calls, token, api: settings.api, mediaBytes, clock, signal: end.signal };
    await ingress.receive({
      ...message,
      ...(senderName === undefined ? {} : { senderName }),
      ...(files.length === 0 ? {} : { files: incomingFiles(files, options) }),
    });
  });
}
