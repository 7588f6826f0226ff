import type { FakePlatform, ShownMessage } from '../fake-platform.ts';
import { startFakeServer } from '../fake-server.ts';
import { answerCall, type MethodOptions } from './methods.ts';
import { createQueue } from './queue.ts';
import { createSpeech, type PersonMessage } from './speech.ts';
import {
  type ApiObject,
  type BotMessage,
  chatOfPlace,
  createWorld,
  type FakeChat,
  nameOfMessage,
  type World,
} from './world.ts';

export interface FakeTelegramOptions extends MethodOptions {
  readonly token?: string;
  readonly username?: string;
  /** Longest time that `getUpdates` is held. */
  readonly holdMs?: number;
}

/** A fake Bot API with one bot. Messages are named `CHAT#ID`, and places `CHAT` or `CHAT/TOPIC`. */
export interface FakeTelegram extends FakePlatform {
  readonly token: string;
  /** State of the platform, to look at and to change. */
  readonly world: World;
  /** Adds a group; its messages have several senders. */
  addGroup(chat: Omit<FakeChat, 'type'> & { readonly type?: FakeChat['type'] }): void;
  /** A person sends a message with any fields of the Bot API; returns its name. */
  receive(message: PersonMessage): string;
  /** A person sends several messages as one album; returns their names. */
  album(messages: readonly PersonMessage[]): string[];
  /** Stores a file of a person; returns its `file_id`. `size` is the `file_size` of the Bot API. */
  addFile(bytes: Uint8Array, options?: { readonly name?: string; readonly size?: number }): string;
  /** Adds an update unchanged, also when `allowed_updates` lacks its type. */
  update(update: ApiObject): void;
  /** Sets the next `update_id`. */
  restartUpdates(at: number): void;
  /** A group becomes a supergroup. The service messages are sent unless `silent`. */
  migrate(from: number, to: number, options?: { readonly silent?: boolean }): void;
  /** A person deletes a message. */
  remove(platformId: string): void;
  /** The next `sendMediaGroup` fails at this message, counted from 1. */
  failAlbumAt(message: number): void;
  /** Messages of the bot in a place, with their entities, kinds of files and `reply_markup`. */
  sent(place?: string): readonly BotMessage[];
}

const PERSON = 7_001;
const TOKEN = '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw';

export async function startFakeTelegram({
  token = TOKEN,
  username = 'plug_bot',
  holdMs,
  ...given
}: FakeTelegramOptions = {}): Promise<FakeTelegram> {
  const world = createWorld(token, username);
  const options: MethodOptions = { ...given };
  const queue = createQueue(world, holdMs);
  const server = await startFakeServer({ answer: (call) => answerCall(world, queue, options, call) });
  const place = String(PERSON);
  const speech = createSpeech(world, queue, place);
  world.chats.set(PERSON, { id: PERSON, type: 'private' });
  const sent = (where: string = place): readonly BotMessage[] => {
    const { chat, thread } = chatOfPlace(where);
    return world.messages.filter((one) => one.chat === chat && one.thread === thread && !one.deleted);
  };
  return {
    ...speech,
    ...{ server, token, world, place, person: String(PERSON), sent },
    settings: { token, api: server.url },
    shown: (where) => sent(where).map(shownMessage),
    isAcknowledged: (name) => world.acknowledged.has(name),
    addGroup: (chat) => void world.chats.set(chat.id, { type: 'supergroup', title: 'Hall', ...chat }),
    addFile: (bytes, file) => addFile(world, bytes, file),
    update: (update) => queue.add(update, true),
    restartUpdates(at) {
      world.nextUpdate = at;
    },
    migrate(from, to, { silent = false } = {}) {
      world.migrated.set(from, to);
      world.chats.set(to, { id: to, type: 'supergroup', title: 'Hall' });
      if (silent) return;
      speech.receive({ chat: from, migrate_to_chat_id: to });
      speech.receive({ chat: to, migrate_from_chat_id: from });
    },
    remove(platformId) {
      const found = world.messages.find(({ chat, id }) => nameOfMessage(chat, id) === platformId);
      if (found !== undefined) found.deleted = true;
    },
    failAlbumAt(message) {
      options.failAlbumAt = message;
    },
    async [Symbol.asyncDispose]() {
      queue.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

function shownMessage({ chat, id, text, files, markup }: BotMessage): ShownMessage {
  const rows = (markup?.inline_keyboard ?? []) as readonly (readonly { readonly text: string }[])[];
  return {
    platformId: nameOfMessage(chat, id),
    text,
    files,
    buttons: rows.flat().map((button) => button.text),
  };
}

function addFile(
  { files }: World,
  bytes: Uint8Array,
  { name = 'file.bin', size = bytes.length }: { readonly name?: string; readonly size?: number } = {},
): string {
  const id = `file-${files.size + 1}`;
  files.set(id, { bytes: Buffer.from(bytes), size, path: `documents/${id}-${name}` });
  return id;
}
