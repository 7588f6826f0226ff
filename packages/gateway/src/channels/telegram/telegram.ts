import { reasonOf } from '@plugboard/protocol';
import { settledWithin } from '../../delivery/timeout.ts';
import { type Channel, type ChannelLimits, type Ingress, SendError } from '../channel.ts';
import type { ChannelGiven } from '../kind.ts';
import { type Client, createClient } from './client.ts';
import { hookSecret, takeHook } from './hook.ts';
import { createDownloads } from './incoming-files.ts';
import { ALLOWED_UPDATES, createIntake, type Intake } from './intake.ts';
import { createOutbound } from './outbound.ts';
import { isAlbumFile } from './outgoing-files.ts';
import { createMigrations, isGroup } from './places.ts';
import { pollUpdates } from './poll.ts';
import { CAPTION_LENGTH, TEXT_LENGTH } from './post-message.ts';
import { settingsProblem, type TelegramSettings } from './settings.ts';

export { prove } from './prove.ts';

/** Telegram allows about one call per 1 s in a chat, and 20 a minute in a group. */
const EDIT_MS = 1_100;
const GROUP_EDIT_MS = 3_100;

/** Most messages of one answer; see `ChannelLimits.longestAnswer`. */
const LONGEST_ANSWER = 10;

/** A keyboard with more buttons cannot be read; Telegram takes 100. */
const MOST_BUTTONS = 24;

/** Timeout of `stop` for pending `receive` calls. */
const STOP_MS = 3_000;

/** A started channel. */
interface Run {
  readonly end: AbortController;
  intake: Intake | undefined;
  polling: Promise<void>;
}

type Given = ChannelGiven<TelegramSettings>;

/** A bot on Telegram. */
export function create(given: Given): Channel {
  const { name, settings, clock, log } = given;
  const client = createClient(settings, clock);
  const migrations = createMigrations();
  let run: Run | undefined;
  let ingress: Ingress | undefined;
  const move: Move = async (from, to) => {
    migrations.note(from, to);
    await ingress?.movePlace(String(from), String(to));
  };
  const onMigration = (from: number, to: number): void => {
    move(from, to).catch((error) =>
      log.error(`A group has become a supergroup, and its session was not moved: ${reasonOf(error)}`, {
        code: 'telegram-place-not-moved',
        channel: name,
      }),
    );
  };
  return {
    name,
    limits: { ...limitsOf(given.progress), oneConnection: settings.mode !== 'webhook' },
    ...createOutbound({ client, clock, migrations, onMigration }),
    async start(into) {
      ingress = into;
      run = { end: new AbortController(), intake: undefined, polling: Promise.resolve() };
      await startRun({ ...given, client, ingress, move }, run);
    },
    async receiveHook(request) {
      const intake = settings.mode === 'webhook' ? run?.intake : undefined;
      return intake === undefined
        ? { status: 503 }
        : takeHook(request, hookSecret(settings.token), intake, { name, log });
    },
    async stop() {
      const ended = run;
      run = undefined;
      ended?.end.abort();
      client.close();
      await settledWithin(clock, STOP_MS, Promise.all([ended?.polling, ended?.intake?.idle()]));
    },
  };
}

function limitsOf(progress: Given['progress']): ChannelLimits {
  return {
    readsLog: false,
    textLength: TEXT_LENGTH,
    media: true,
    captionLength: CAPTION_LENGTH,
    isAlbumFile,
    longestAnswer: LONGEST_ANSWER,
    editIntervalMs: EDIT_MS,
    editIntervalIn: (place) => (isGroup(place) ? GROUP_EDIT_MS : EDIT_MS),
    typingIntervalMs: 4_000,
    buttons: MOST_BUTTONS,
    progress,
  };
}

/** Moves the place of a group to the id of its supergroup. */
type Move = (from: number, to: number) => Promise<void>;

interface Starting extends Given {
  readonly client: Client;
  readonly ingress: Ingress;
  readonly move: Move;
}

async function startRun(starting: Starting, run: Run): Promise<void> {
  const { settings, client, ingress, move, mediaBytes } = starting;
  const { signal } = run.end;
  const isHook = settings.mode === 'webhook';
  const problem = settingsProblem(settings);
  if (problem !== undefined) throw new SendError('never', problem);
  const bot = await client.call((raw, ending) => raw.getMe(ending), { signal });
  // A malformed answer: without its name, the bot would not know who mentions it.
  if (!Number.isSafeInteger(bot.id) || typeof bot.username !== 'string')
    throw new SendError('later', 'Telegram did not say who the bot is.');
  const downloads = createDownloads({ client, mediaBytes, signal });
  const intake = createIntake({ ...starting, bot, downloads, onMigration: move, signal });
  await showCommands(starting, signal);
  if (isHook) await setWebhook(starting, signal);
  else await client.call((raw, ending) => raw.deleteWebhook({}, ending), { signal });
  run.intake = intake;
  if (isHook || signal.aborted) return;
  const onRefused = (reason: string): void => ingress.fail(reason);
  run.polling = pollUpdates({ ...starting, intake, signal, onRefused });
}

/** Telegram also posts the updates that have waited. */
async function setWebhook(
  { client, settings: { url = '', token } }: Starting,
  signal: AbortSignal,
): Promise<void> {
  const options = { url, secret_token: hookSecret(token), allowed_updates: ALLOWED_UPDATES };
  await client.call((raw, ending) => raw.setWebhook(options, ending), { signal });
}

/** `setMyCommands`; a failure is logged, since the bot works without the menu. */
async function showCommands({ client, commands, log, name }: Starting, signal: AbortSignal): Promise<void> {
  const shown = commands
    .filter((command) => /^[a-z0-9_]{1,32}$/.test(command.name))
    .slice(0, 100)
    .map(({ name: command, description }) => ({ command, description: description.slice(0, 256) }));
  try {
    await client.call((raw, ending) => raw.setMyCommands({ commands: shown }, ending), { signal });
  } catch (error) {
    if (error instanceof SendError && error.stopsChannel) throw error;
    log.warn(`The menu of commands was not set: ${reasonOf(error)}`, {
      code: 'telegram-menu-not-set',
      channel: name,
    });
  }
}
