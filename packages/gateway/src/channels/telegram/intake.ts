import { reasonOf } from '@plugboard/protocol';
import type { Message, Update } from 'grammy/types';
import type { Inbound } from '../channel.ts';
import { type Albums, createAlbums } from './albums.ts';
import type { Bot } from './bot.ts';
import { chatStatusChange } from './chat-status.ts';
import { inboundOf } from './inbound.ts';
import type { Downloads } from './incoming-files.ts';
import { answerPress, type PressOptions } from './press.ts';
import { updateProblem } from './update.ts';

/** `allowed_updates`. Without `edited_message`: `receive` would refuse it as `reused`. */
export const ALLOWED_UPDATES = ['message', 'callback_query', 'my_chat_member'] as const;

export interface IntakeOptions extends PressOptions {
  readonly bot: Bot;
  readonly downloads: Downloads;
  readonly onMigration: (from: number, to: number) => Promise<void>;
  /** Aborted when the channel stops. */
  readonly signal: AbortSignal;
}

/** Takes updates in: those of one chat in their order, and those of different chats at the same time. */
export interface Intake {
  /** Resolves when the update may be confirmed; rejects when `getUpdates` must return it again. */
  take(update: Update, attempt: Attempt): Promise<void>;
  /** Must be told of each answer of `getUpdates`. */
  readonly albums: Albums;
  /** Settles when no update is in progress. */
  idle(): Promise<void>;
}

/** Runs `receive` for one update, once or until it resolves. Later updates of the chat wait for it. */
export type Attempt = (run: () => Promise<void>) => Promise<void>;

export function createIntake(options: IntakeOptions): Intake {
  const albums = createAlbums(options.clock, options.signal);
  const chats = new Map<number, Promise<unknown>>();
  const presses = new Set<Promise<unknown>>();
  const enqueue = (chat: number, run: () => Promise<void>): Promise<void> => {
    const work = (chats.get(chat) ?? Promise.resolve()).then(run);
    const settled = work
      .catch(() => {})
      .finally(() => {
        if (chats.get(chat) === settled) chats.delete(chat);
      });
    chats.set(chat, settled);
    return work;
  };
  const take: Intake['take'] = async (update, attempt) => {
    const problem = updateProblem(update);
    if (problem !== undefined) return logUnreadable(options, problem);
    const { message, callback_query: query, my_chat_member: change } = update;
    if (query !== undefined) {
      const work = attempt(() => answerPress(options, query));
      const settled = work.catch(() => {}).finally(() => presses.delete(settled));
      presses.add(settled);
      return work;
    }
    if (change !== undefined) logStatus(options, change);
    if (message === undefined) return;
    return albums.join(message, (album) =>
      enqueue(message.chat.id, async () => {
        const messages = await album;
        await attempt(() => takeMessages(options, messages));
      }),
    );
  };
  return {
    take,
    albums,
    async idle() {
      await Promise.all([...chats.values(), ...presses]);
    },
  };
}

async function takeMessages(options: IntakeOptions, messages: readonly Message[]): Promise<void> {
  const { ingress, onMigration } = options;
  const [first] = messages;
  if (first?.migrate_to_chat_id !== undefined) return onMigration(first.chat.id, first.migrate_to_chat_id);
  if (first?.migrate_from_chat_id !== undefined)
    return onMigration(first.migrate_from_chat_id, first.chat.id);
  const inbound = readMessages(options, messages);
  if (inbound !== undefined) await ingress.receive(inbound);
}

/** An exception here is permanent: to retry it would block the chat for ever. */
function readMessages(
  { bot, downloads, log, name }: IntakeOptions,
  messages: readonly Message[],
): Inbound | undefined {
  try {
    return inboundOf(messages, bot, downloads);
  } catch (error) {
    logUnreadable({ log, name }, reasonOf(error));
    return undefined;
  }
}

function logUnreadable({ log, name }: Pick<IntakeOptions, 'log' | 'name'>, problem: string): void {
  log.error(`An update of Telegram cannot be read, and is left out: ${problem}`, {
    code: 'telegram-message-unreadable',
    channel: name,
  });
}

function logStatus({ log, name }: IntakeOptions, change: NonNullable<Update['my_chat_member']>): void {
  const sentence = chatStatusChange(change);
  if (sentence === undefined) return;
  log.info(sentence, { code: 'telegram-bot-status', channel: name, chat: change.chat.id });
}

/** Logs why an update was not kept. */
export function logNotKept({ log, name }: Pick<IntakeOptions, 'log' | 'name'>, error: unknown): void {
  log.warn(`An update of Telegram was not kept, and will be taken again: ${reasonOf(error)}`, {
    code: 'telegram-update-not-kept',
    channel: name,
  });
}
