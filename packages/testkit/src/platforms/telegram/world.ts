import type { MarkedRange } from './html.ts';

/** Loose records of the Bot API. */
export type ApiObject = Readonly<Record<string, unknown>>;

export interface FakeUser {
  readonly id: number;
  readonly is_bot: boolean;
  readonly first_name: string;
  readonly username?: string;
}

export interface FakeChat {
  readonly id: number;
  readonly type: 'private' | 'group' | 'supergroup';
  readonly title?: string;
  readonly is_forum?: true;
}

/** A message of the bot, as the platform keeps it. */
export interface BotMessage {
  readonly chat: number;
  readonly thread: number | undefined;
  readonly id: number;
  text: string;
  entities: readonly MarkedRange[];
  readonly files: readonly string[];
  /** Names of the Bot API for the kinds of `files`. */
  readonly types: readonly string[];
  readonly album: string | undefined;
  readonly silent: boolean;
  markup: ApiObject | undefined;
  /** `markup` with buttons that an edit has taken away: people may still have them on the screen. */
  oldMarkup: ApiObject | undefined;
  deleted: boolean;
}

export interface QueuedUpdate {
  readonly id: number;
  readonly type: string;
  readonly update: ApiObject;
  /** `CHAT#ID` of its message, where it has one. */
  readonly name: string | undefined;
  readonly chat: number | undefined;
}

/** State of a `FakeTelegram`. */
export interface World {
  token: string;
  readonly bot: FakeUser & { readonly username: string };
  readonly settings: { canReadAll: boolean; canJoinGroups: boolean };
  readonly chats: Map<number, FakeChat>;
  readonly messages: BotMessage[];
  readonly updates: QueuedUpdate[];
  readonly acknowledged: Set<string>;
  /** Bytes of files that people have sent, and the size that the Bot API tells. */
  readonly files: Map<string, { readonly bytes: Buffer; readonly size: number; readonly path: string }>;
  /** Presses that wait for an answer, and when they came. */
  readonly presses: Map<string, number>;
  readonly answers: { readonly id: string; readonly text: string; readonly alert: boolean }[];
  /** Reasons of 403 answers, by chat. */
  readonly closed: Map<number, string>;
  readonly closedThreads: Map<string, string>;
  /** Groups that have become supergroups. */
  readonly migrated: Map<number, number>;
  /** Numbers of messages, for each chat. */
  readonly counters: Map<number, number>;
  /** When each chat was written to last, for `rateMs`. */
  readonly written: Map<number, number>;
  readonly actions: { readonly chat: number; readonly thread: number | undefined }[];
  commands: readonly ApiObject[];
  allowed: readonly string[];
  webhook: { readonly url: string; readonly secret: string } | undefined;
  nextUpdate: number;
  nextMessage: number;
}

export function createWorld(token: string, username: string): World {
  const bot = { id: Number(token.split(':')[0]), is_bot: true, first_name: 'Fake', username };
  return {
    ...{ token, bot, settings: { canReadAll: false, canJoinGroups: true } },
    ...{ chats: new Map(), messages: [], updates: [], acknowledged: new Set(), files: new Map() },
    ...{ presses: new Map(), answers: [], closed: new Map(), closedThreads: new Map(), migrated: new Map() },
    ...{ counters: new Map(), written: new Map(), actions: [], commands: [], allowed: [] },
    ...{ webhook: undefined, nextUpdate: 1_000, nextMessage: 1 },
  };
}

/** Ids of messages count up in each chat, from 1. */
export function nextMessageId({ counters }: World, chat: number): number {
  const id = (counters.get(chat) ?? 0) + 1;
  counters.set(chat, id);
  return id;
}

/** `CHAT#ID`: an id of a message is unique in its chat alone. */
export function nameOfMessage(chat: number, id: number): string {
  return `${chat}#${id}`;
}

/** `CHAT`, or `CHAT/TOPIC`. */
export function chatOfPlace(place: string): { readonly chat: number; readonly thread: number | undefined } {
  const [chat = '', thread] = place.split('/');
  return { chat: Number(chat), thread: thread === undefined ? undefined : Number(thread) };
}
