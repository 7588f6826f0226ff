import { BotApiError, type MarkedText, parseHtml } from './html.ts';
import type { CallInput, UploadedFile } from './multipart.ts';
import { type ApiObject, type BotMessage, nextMessageId, type World } from './world.ts';

const TEXT_LENGTH = 4_096;
const CAPTION_LENGTH = 1_024;
const MEGABYTE = 1_048_576;
const MOST_BUTTONS = 100;

/** Fields of the methods that send one file, and their largest uploads. */
const FILE_FIELDS: Readonly<Record<string, readonly [field: string, megabytes: number]>> = {
  sendPhoto: ['photo', 10],
  sendVideo: ['video', 50],
  sendAnimation: ['animation', 50],
  sendAudio: ['audio', 50],
  sendDocument: ['document', 50],
};

export function isFileMethod(method: string): boolean {
  return Object.hasOwn(FILE_FIELDS, method);
}

/** Rate limit of a chat; sends and edits share it. */
export interface RateOptions {
  /** Least time between two of them; without it there is no limit. */
  readonly rateMs?: number;
}

export function sendText(world: World, { fields }: CallInput, rate: RateOptions): ApiObject {
  const target = requireTarget(world, fields, rate);
  const { text, entities } = readText(fields.text, fields.parse_mode, TEXT_LENGTH, 'message');
  if (text === '') throw refused('message text is empty');
  const markup = readMarkup(fields.reply_markup);
  return show(
    world,
    addMessage(world, target, { text, entities, markup, silent: fields.disable_notification === true }),
  );
}

export function sendFile(world: World, method: string, input: CallInput, rate: RateOptions): ApiObject {
  const [field = '', megabytes = 0] = FILE_FIELDS[method] ?? [];
  const { fields } = input;
  const target = requireTarget(world, fields, rate);
  const file = requireUpload(input, fields[field], megabytes);
  const caption = readText(fields.caption, fields.parse_mode, CAPTION_LENGTH, 'message caption');
  return show(world, addMessage(world, target, { ...caption, files: [file.name], types: [field] }));
}

/** Files of `failAt` are not sent: those before stay in the chat, as on the real platform. */
export function sendAlbum(
  world: World,
  input: CallInput,
  rate: RateOptions,
  failAt: number | undefined,
): readonly ApiObject[] {
  const { fields } = input;
  const target = requireTarget(world, fields, rate);
  const media = fields.media as readonly ApiObject[];
  if (media.length < 2 || media.length > 10) throw refused('media group must include 2-10 items');
  const types = new Set(media.map(({ type }) => String(type)));
  const mixes = types.size > 1 && ![...types].every((type) => type === 'photo' || type === 'video');
  if (types.has('animation') || mixes) throw refused("document can't be mixed with other media types");
  const ready = media.map(({ type, media: file, caption, parse_mode: mode }) => ({
    ...readText(caption, mode, CAPTION_LENGTH, 'message caption'),
    files: [requireUpload(input, file, type === 'photo' ? 10 : 50).name],
    types: [String(type)],
    album: `album-${world.nextMessage}`,
  }));
  world.nextMessage += 1;
  return ready.map((one, index) => {
    if (index + 1 === failAt)
      throw refused(`failed to send message #${failAt} with the error message "INTERNAL"`);
    return show(world, addMessage(world, target, one));
  });
}

export function editText(world: World, { fields }: CallInput, rate: RateOptions): ApiObject {
  const target = requireTarget(world, fields, rate);
  const found = world.messages.find(({ chat, id }) => chat === target.chat && id === fields.message_id);
  if (found === undefined || found.deleted) throw refused('message to edit not found');
  if (found.markup?.force_reply === true) throw refused("message can't be edited");
  if (found.files.length > 0) throw refused('there is no text in the message to edit');
  const { text, entities } = readText(fields.text, fields.parse_mode, TEXT_LENGTH, 'message');
  const markup = readMarkup(fields.reply_markup);
  if (text === '') throw refused('message text is empty');
  const now = JSON.stringify([found.text, found.entities, found.markup ?? null]);
  if (now === JSON.stringify([text, entities, markup ?? null]))
    throw refused(
      'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
    );
  Object.assign(found, { text, entities, markup, oldMarkup: found.markup ?? found.oldMarkup });
  return show(world, found);
}

interface SendTarget {
  readonly chat: number;
  readonly thread: number | undefined;
}

/** The chat that a call names, or the refusal of the Bot API. */
export function requireTarget(world: World, fields: ApiObject, { rateMs }: RateOptions = {}): SendTarget {
  const chat = Number(fields.chat_id);
  const thread = fields.message_thread_id === undefined ? undefined : Number(fields.message_thread_id);
  const moved = world.migrated.get(chat);
  if (moved !== undefined)
    throw new BotApiError(400, 'Bad Request: group chat was upgraded to a supergroup chat', {
      migrate_to_chat_id: moved,
    });
  if (!world.chats.has(chat)) throw refused('chat not found');
  const closed = world.closed.get(chat);
  if (closed !== undefined) throw new BotApiError(403, `Forbidden: ${closed}`);
  const reason = thread === undefined ? undefined : world.closedThreads.get(`${chat}/${thread}`);
  if (reason !== undefined || thread === 1) throw refused(reason ?? 'message thread not found');
  obeyRate(world, chat, rateMs);
  return { chat, thread };
}

function obeyRate({ written }: World, chat: number, rateMs: number | undefined): void {
  if (rateMs === undefined) return;
  const left = (written.get(chat) ?? -Infinity) + rateMs - performance.now();
  if (left > 0) {
    const seconds = Math.max(1, Math.ceil(left / 1_000));
    throw new BotApiError(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds });
  }
  written.set(chat, performance.now());
}

function readText(text: unknown, mode: unknown, longest: number, what: string): MarkedText {
  const given = text === undefined ? '' : String(text);
  const parsed = mode === 'HTML' ? parseHtml(given) : { text: given.trim(), entities: [] };
  if (!parsed.text.isWellFormed()) throw refused('strings must be encoded in UTF-8');
  if (parsed.text.length > longest) throw refused(`${what} is too long`);
  return parsed;
}

interface Markup {
  readonly inline_keyboard?: readonly (readonly {
    readonly text: string;
    readonly callback_data?: string;
  }[])[];
  readonly force_reply?: boolean;
}

function readMarkup(given: unknown): ApiObject | undefined {
  const markup = given as Markup | undefined;
  const rows = markup?.inline_keyboard ?? [];
  const buttons = rows.flat();
  if (buttons.length > MOST_BUTTONS || rows.some((row) => row.length > 8))
    throw refused('reply markup is too long');
  for (const { text, callback_data: data = '' } of buttons) {
    if (text === '') throw refused('button text is empty');
    if (data === '' || Buffer.byteLength(data) > 64) throw refused('BUTTON_DATA_INVALID');
  }
  return given as ApiObject | undefined;
}

function requireUpload({ files }: CallInput, field: unknown, megabytes: number): UploadedFile {
  const file = files.get(String(field).replace(/^attach:\/\//, ''));
  if (file === undefined) throw refused('wrong remote file identifier specified');
  if (file.bytes.length === 0) throw refused('file must be non-empty');
  if (file.bytes.length > 50 * MEGABYTE) throw new BotApiError(413, 'Request Entity Too Large');
  if (file.bytes.length > megabytes * MEGABYTE) throw refused('PHOTO_SAVE_FILE_INVALID');
  if (file.bytes.toString('latin1').startsWith('not a photo') && megabytes === 10)
    throw refused('IMAGE_PROCESS_FAILED');
  return file;
}

type NewMessage = Partial<Omit<BotMessage, 'chat' | 'thread' | 'id'>>;

function addMessage(world: World, { chat, thread }: SendTarget, more: NewMessage): BotMessage {
  const fixed = {
    text: '',
    entities: [],
    files: [],
    types: [],
    album: undefined,
    silent: false,
    markup: undefined,
    oldMarkup: undefined,
  };
  const message: BotMessage = {
    ...fixed,
    ...more,
    chat,
    thread,
    id: nextMessageId(world, chat),
    deleted: false,
  };
  world.messages.push(message);
  return message;
}

function show({ bot, chats }: World, { chat, thread, id, text, entities, markup }: BotMessage): ApiObject {
  return {
    message_id: id,
    date: Math.floor(Date.now() / 1_000),
    chat: chats.get(chat),
    from: bot,
    text,
    entities,
    ...(thread === undefined ? {} : { message_thread_id: thread, is_topic_message: true }),
    ...(markup === undefined ? {} : { reply_markup: markup }),
  };
}

export function refused(reason: string): BotApiError {
  return new BotApiError(400, `Bad Request: ${reason}`);
}
