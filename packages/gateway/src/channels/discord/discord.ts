import { type APIApplication, GatewayIntentBits } from '@discordjs/core';
import { reasonOf } from '@plugboard/protocol';
import { type Channel, type Ingress, type Outgoing, type SendContext, SendError } from '../channel.ts';
import type { ChannelGiven } from '../kind.ts';
import { commandsFor } from './commands.ts';
import { type Connection, createConnection } from './connection.ts';
import { DiscordError } from './discord-error.ts';
import { createIdentifyLimit } from './identify-limit.ts';
import { createListener, type Listener } from './listener.ts';
import { createMemory, type GatewaySession, type Memory } from './memory.ts';
import { composeMessage, nonceOf, withPlainText } from './outgoing.ts';
import { resolveDelivery } from './resolve.ts';
import { createRest, type DiscordRest } from './rest.ts';
import { createSentLog, type SentLog } from './sent-log.ts';
import { type DiscordSettings, tokenProblem } from './settings.ts';

export { prove } from './prove.ts';

/** Most messages of one answer; see `ChannelLimits.longestAnswer`. */
const LONGEST_ANSWER = 10;

type Given = ChannelGiven<DiscordSettings>;

/** Leaves room for escapes in the 2,000 characters of a message. */
const TEXT_LENGTH = 1_900;

/** State from `start` to `stop`. */
interface Run {
  readonly rest: DiscordRest;
  readonly end: AbortController;
  botId: string;
  connection: Connection | undefined;
  listener: Listener | undefined;
}

interface Shared {
  readonly given: Given;
  readonly sent: SentLog;
  readonly memory: Memory;
  /** The clock of Discord, less ours. */
  skewMs: number;
  run: Run | undefined;
}

/** A bot on Discord: `Connection` receives, `DiscordRest` sends. */
export function create(given: Given): Channel {
  const shared = createShared(given);
  return {
    name: given.name,
    limits: {
      ...{ readsLog: false, textLength: TEXT_LENGTH, media: true, mediaPerMessage: 10, buttons: 25 },
      longestAnswer: LONGEST_ANSWER,
      oneConnection: true,
      ...{ editIntervalMs: 1_200, typingIntervalMs: 8_000, progress: given.progress },
    },
    start: (ingress) => startRun(shared, ingress),
    send: (place, body, delivery) => sendMessage(shared, place, body, delivery),
    stop: () => stopRun(shared),
    edit: (place, platformId, body) => editMessage(shared, place, platformId, body),
    async typing(place) {
      const { rest, end } = runOf(shared);
      await rest.api.channels.showTyping(place, { signal: AbortSignal.any([end.signal]) });
    },
    async resolve(place, body, delivery) {
      const { rest, botId } = runOf(shared);
      const here = given.clock.date();
      const now = { here, there: here + shared.skewMs };
      return resolveDelivery({ api: rest.api, sent: shared.sent, botId, now }, place, body, delivery);
    },
  };
}

function createShared(given: Given): Shared {
  const { name, directory, clock, log } = given;
  const session = (): GatewaySession | undefined => {
    const { connection, listener } = shared.run ?? {};
    return listener?.isFilling === true ? undefined : connection?.session;
  };
  const memory = createMemory({ directory, channel: name, clock, log, session });
  const shared: Shared = { given, sent: createSentLog(clock), memory, skewMs: 0, run: undefined };
  return shared;
}

function runOf({ run }: Shared): Run {
  if (run === undefined) throw new SendError('later', 'The channel is not connected.');
  return run;
}

async function startRun(shared: Shared, ingress: Ingress): Promise<void> {
  const { settings, clock } = shared.given;
  const problem = tokenProblem(settings.token.reveal());
  if (problem !== undefined) throw new SendError('never', problem, { stopsChannel: true });
  const onDate = (date: number): void => {
    shared.skewMs = date - clock.date();
  };
  const end = new AbortController();
  const rest = createRest({ settings, clock, onDate });
  const run: Run = { rest, end, botId: '', connection: undefined, listener: undefined };
  shared.run = run;
  const stopped = new Promise<never>((_resolve, reject) =>
    end.signal.addEventListener('abort', () => reject(new SendError('later', 'The channel was stopped.'))),
  );
  await Promise.race([connect(shared, run, ingress), stopped]);
}

async function connect(shared: Shared, run: Run, ingress: Ingress): Promise<void> {
  const { given, memory } = shared;
  const { rest, end } = run;
  const me = await rest.api.applications.getCurrent();
  run.botId = me.bot?.id ?? me.id;
  if (!/^\d{1,20}$/.test(String(run.botId)))
    throw new SendError('later', 'Discord did not say who the bot is.');
  await registerCommands(given, rest, me);
  const resumes = await memory.load(run.botId);
  const { url, session_start_limit: limit } = await rest.readGateway();
  if (resumes === undefined && limit.remaining <= 0)
    throw new SendError('later', 'Discord allows no new session of this bot at the moment.', {
      afterMs: limit.reset_after,
    });
  if (end.signal.aborted) return;
  run.listener = createListener({
    ...{ api: rest.api, ingress, botId: run.botId, memory, sent: shared.sent, signal: end.signal },
    ...{ channel: given.name, mediaBytes: given.mediaBytes, clock: given.clock, log: given.log },
  });
  run.connection = openConnection(shared, run, { url, resumes, ingress });
  await run.connection.open();
}

interface Opening {
  readonly url: string;
  readonly resumes: GatewaySession | undefined;
  readonly ingress: Ingress;
}

function openConnection(shared: Shared, run: Run, { url, resumes, ingress }: Opening): Connection {
  const { settings, clock, log, name: channel } = shared.given;
  const readBudget = async () => {
    const { session_start_limit: limit } = await run.rest.readGateway();
    return { remaining: limit.remaining, resetAfterMs: limit.reset_after };
  };
  return createConnection({
    ...{ url, resumes, clock, token: settings.token.reveal(), intents: intentsFor(settings) },
    identify: createIdentifyLimit(clock, readBudget),
    onEvent: (payload, kept) => run.listener?.take(payload, kept),
    onNewSession: () => run.listener?.fillGaps(),
    onKept: () => shared.memory.touch(),
    onClosed: (code) =>
      log.info(`The connection to Discord was closed with ${code}, and is opened again.`, {
        ...{ code: 'channel-reconnects', channel },
      }),
    onUnreadable: (problem) =>
      log.warn(`Discord sent something malformed, and its connection is opened again: ${problem}`, {
        ...{ code: 'channel-frame-unreadable', channel },
      }),
    onRefused: (reason) => ingress.fail(reason),
  });
}

function intentsFor({ message_content: content }: DiscordSettings): number {
  const { Guilds, GuildMessages, DirectMessages, MessageContent } = GatewayIntentBits;
  return Guilds | GuildMessages | DirectMessages | (content ? MessageContent : 0);
}

/** Failure is only logged: commands can be typed, too. */
async function registerCommands(
  { name: channel, commands, log }: Given,
  { api }: DiscordRest,
  { id }: APIApplication,
): Promise<void> {
  try {
    await api.applicationCommands.bulkOverwriteGlobalCommands(id, commandsFor(commands));
  } catch (error) {
    if (error instanceof SendError && error.stopsChannel) throw error;
    log.warn(`The commands of a channel are not in its menu: ${reasonOf(error)}`, {
      ...{ code: 'channel-commands-missing', channel },
    });
  }
}

/** Aborts `run.end` and keeps the session: its next resume repeats the events above `Sequence.kept`. */
async function stopRun(shared: Shared): Promise<void> {
  const { run, memory } = shared;
  if (run === undefined) return;
  run.end.abort();
  await run.connection?.close();
  run.rest.close();
  if (run.connection !== undefined) {
    memory.touch();
    await memory.flush();
  }
  if (shared.run === run) shared.run = undefined;
}

async function sendMessage(
  shared: Shared,
  place: string,
  body: Outgoing,
  delivery: SendContext,
): Promise<{ platformId: string }> {
  const { rest, end } = runOf(shared);
  const message = await composeMessage(body);
  const nonce = nonceOf(delivery.id);
  const post = (one: typeof message) =>
    rest.api.channels.createMessage(
      place,
      { ...one, nonce, enforce_nonce: true },
      { signal: AbortSignal.any([delivery.signal, end.signal]) },
    );
  shared.sent.begin(delivery);
  const { id } = await post(message).catch((error) => {
    if (!isTextRefused(error)) throw error;
    return post(withPlainText(message, body));
  });
  if (typeof id !== 'string')
    throw new SendError('unknown', 'Discord did not say what the message is called.');
  return { platformId: id };
}

/** Error 50035 for `content`: it proves that the message was not shown, so that the plain text may follow at once. */
function isTextRefused(error: unknown): boolean {
  return error instanceof DiscordError && error.code === 50_035 && error.message.includes('"content"');
}

async function editMessage(shared: Shared, place: string, platformId: string, body: Outgoing): Promise<void> {
  const { rest, end } = runOf(shared);
  const { files, ...message } = await composeMessage(body);
  const change = files.length === 0 ? message : { ...message, files };
  const patch = (one: typeof change) =>
    rest.api.channels.editMessage(place, platformId, one, { signal: AbortSignal.any([end.signal]) });
  await patch(change).catch((error) => {
    if (!isTextRefused(error)) throw error;
    return patch({ ...change, content: body.text.slice(0, TEXT_LENGTH).toWellFormed() });
  });
}
