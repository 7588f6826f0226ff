import type { ForceReply, InlineKeyboardMarkup } from 'grammy/types';
import type { Button, Outgoing } from '../channel.ts';
import type { Client } from './client.ts';
import { renderHtml } from './html.ts';
import type { Upload } from './outgoing-files.ts';
import type { Target } from './places.ts';
import { isFormatRefused, isPhotoRefused, TelegramError } from './telegram-error.ts';

/** Limits of the Bot API, in UTF-16 units. */
export const TEXT_LENGTH = 4_096;
export const CAPTION_LENGTH = 1_024;

interface Formatted {
  readonly text: string;
  readonly parse_mode?: 'HTML';
}

/** Runs a call with HTML, and at once with the plain text when the marks were refused. */
export async function withFormat<T>(
  markdown: string,
  longest: number,
  run: (formatted: Formatted) => Promise<T>,
): Promise<T> {
  const text = markdown.toWellFormed();
  const html = renderHtml(text, longest);
  if (html === undefined) return run({ text });
  try {
    return await run({ text: html, parse_mode: 'HTML' });
  } catch (error) {
    if (!isFormatRefused(error)) throw error;
    return run({ text });
  }
}

/** Sends a text; resolves to its `message_id`. */
export async function postText(
  client: Client,
  target: Target,
  { text, kind, buttons = [], asksText }: Omit<Outgoing, 'media'>,
  signal: AbortSignal,
): Promise<number> {
  const markup = markupOf(buttons, asksText);
  const sent = await withFormat(text, TEXT_LENGTH, (formatted) =>
    client.call(
      (raw, ending) =>
        raw.sendMessage(
          {
            ...chatOf(target),
            ...formatted,
            ...(markup === undefined ? {} : { reply_markup: markup }),
            ...(kind === 'progress' ? { disable_notification: true } : {}),
            // With `link_preview_options` on, Telegram fetches URLs that an agent writes.
            link_preview_options: { is_disabled: true },
          },
          ending,
        ),
      { signal },
    ),
  );
  return messageIdOf(sent);
}

/** Rejects for an answer that names no message. */
function messageIdOf(sent: unknown): number {
  const id: unknown = typeof sent === 'object' && sent !== null && Reflect.get(sent, 'message_id');
  if (typeof id === 'number') return id;
  throw new TelegramError('unknown', 'The answer of Telegram names no message.');
}

/** Sends files as one message, or as one album; resolves to the `message_id` of the first. */
export async function postFiles(
  client: Client,
  target: Target,
  { files, caption }: { readonly files: readonly Upload[]; readonly caption: string },
  signal: AbortSignal,
): Promise<number> {
  const asDocuments = files.map((file): Upload => ({ ...file, kind: 'document' }));
  // One album holds either pictures and videos, or documents: a picture of more than 10 MB is a document.
  const mixes = files.length > 1 && files.some(({ kind }) => kind === 'document');
  const post = (some: readonly Upload[]): Promise<number> =>
    withFormat(caption, CAPTION_LENGTH, (formatted) => postUploads(client, target, some, formatted, signal));
  if (mixes) return post(asDocuments);
  try {
    return await post(files);
  } catch (error) {
    if (!files.some(({ kind }) => kind === 'photo') || !isPhotoRefused(error)) throw error;
    return post(asDocuments);
  }
}

/** Longer than `SEND_MS`: the signal of the delivery ends an upload. */
const UPLOAD_MS = 120_000;

async function postUploads(
  client: Client,
  target: Target,
  files: readonly Upload[],
  { text, parse_mode }: Formatted,
  signal: AbortSignal,
): Promise<number> {
  const marks = parse_mode === undefined ? {} : { parse_mode };
  const caption = text === '' ? {} : { caption: text, ...marks };
  const to = chatOf(target);
  const options = { signal, ms: UPLOAD_MS };
  const [only, ...others] = files;
  if (only === undefined) throw new TypeError('There is no file to send.');
  if (others.length > 0) {
    const media = files.map(({ kind, open }, index) => ({
      type: kind === 'photo' || kind === 'video' ? kind : ('document' as const),
      media: open(),
      ...(index === 0 ? caption : {}),
    }));
    const sent = await client.call(
      (raw, ending) => raw.sendMediaGroup({ ...to, media: media as never }, ending),
      options,
    );
    return messageIdOf(sent[0]);
  }
  const file = only.open();
  const sent = await client.call((raw, ending): Promise<{ message_id: number }> => {
    if (only.kind === 'photo') return raw.sendPhoto({ ...to, photo: file, ...caption }, ending);
    if (only.kind === 'video') return raw.sendVideo({ ...to, video: file, ...caption }, ending);
    if (only.kind === 'animation') return raw.sendAnimation({ ...to, animation: file, ...caption }, ending);
    if (only.kind === 'audio') return raw.sendAudio({ ...to, audio: file, ...caption }, ending);
    return raw.sendDocument({ ...to, document: file, ...caption }, ending);
  }, options);
  return messageIdOf(sent);
}

export function chatOf({ chat, thread }: Target): { chat_id: number; message_thread_id?: number } {
  return { chat_id: chat, ...(thread === undefined ? {} : { message_thread_id: thread }) };
}

/** Labels up to this length stand beside each other. */
const SHORT_LABEL = 12;
const BUTTONS_PER_ROW = 3;

export function keyboardOf(buttons: readonly Button[]): InlineKeyboardMarkup | undefined {
  if (buttons.length === 0) return undefined;
  const perRow = buttons.every(({ label }) => label.length <= SHORT_LABEL) ? BUTTONS_PER_ROW : 1;
  const rows = Array.from({ length: Math.ceil(buttons.length / perRow) }, (_, row) =>
    buttons.slice(row * perRow, (row + 1) * perRow),
  );
  return {
    inline_keyboard: rows.map((row) =>
      row.map(({ key, label, style }) => ({
        text: label.toWellFormed(),
        callback_data: key,
        ...(style === undefined
          ? {}
          : { style: style === 'allow' ? ('success' as const) : ('danger' as const) }),
      })),
    ),
  };
}

function markupOf(
  buttons: readonly Button[],
  asksText: true | undefined,
): InlineKeyboardMarkup | ForceReply | undefined {
  const keyboard = keyboardOf(buttons);
  if (keyboard !== undefined || asksText === undefined) return keyboard;
  // Not `selective`, which shows the reply field only to people that the text mentions.
  return { force_reply: true, input_field_placeholder: 'Your answer' };
}
