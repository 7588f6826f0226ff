import type { IncomingMessage } from 'node:http';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Message } from 'grammy/types';
import { FileUnavailableError, type IncomingFile } from '../channel.ts';
import type { Client } from './client.ts';
import { TelegramError } from './telegram-error.ts';

/** A file of a message, as the Bot API describes it. */
interface FileRef {
  readonly id: string;
  /** `file_unique_id`: key of the tries to download the file. */
  readonly unique: string;
  readonly name: string;
  readonly type?: string;
  readonly size: number | undefined;
}

/** The Bot API gives bots no larger files. */
const LARGEST_DOWNLOAD = 20 * 1_048_576;

/** After 8 broken downloads a file is left out with a `FileUnavailableError`: its message would block the chat. */
const MOST_TRIES = 8;
const MOST_REMEMBERED = 1_000;

/** A download without a byte for 20 s has failed. */
const IDLE_MS = 20_000;

export interface DownloadOptions {
  readonly client: Client;
  readonly mediaBytes: number;
  readonly signal: AbortSignal;
}

/** Files of messages. They are downloaded while `receive` reads them. */
export type Downloads = (message: Message) => IncomingFile[];

export function createDownloads(options: DownloadOptions): Downloads {
  const tries = new Map<string, number>();
  return (message) =>
    fileRefs(message).map((ref) => ({
      name: ref.name,
      ...(ref.type === undefined ? {} : { type: ref.type }),
      bytes: { [Symbol.asyncIterator]: () => download(options, ref, tries) },
    }));
}

async function* download(
  options: DownloadOptions,
  { id, unique, size }: FileRef,
  tries: Map<string, number>,
): AsyncGenerator<Uint8Array> {
  refuseLarge(size, options.mediaBytes);
  try {
    const { file_path: path } = await options.client.call(
      (raw, ending) => raw.getFile({ file_id: id }, ending),
      options,
    );
    if (path === undefined) throw new Error('The Bot API does not say where the file is.');
    yield* readBytes(options.client.fileUrl(path), options.signal);
    tries.delete(unique);
  } catch (error) {
    if (error instanceof FileUnavailableError || options.signal.aborted) throw error;
    if (error instanceof TelegramError && /file is too big/i.test(error.description)) throw tooLarge();
    if (error instanceof TelegramError && error.problem === 'later') throw error;
    const before = tries.get(unique) ?? 0;
    if (before + 1 >= MOST_TRIES) throw new FileUnavailableError('It could not be downloaded from Telegram.');
    tries.set(unique, before + 1);
    // A `Map` iterates in insertion order: the oldest is forgotten first.
    for (const [oldest] of tries) if (tries.size > MOST_REMEMBERED) tries.delete(oldest);
    throw error;
  }
}

function refuseLarge(size: number | undefined, mediaBytes: number): void {
  if (size === undefined) return;
  if (size > LARGEST_DOWNLOAD) throw tooLarge();
  if (size > mediaBytes) throw new FileUnavailableError(`The file is larger than ${mediaBytes} bytes.`);
}

function tooLarge(): FileUnavailableError {
  return new FileUnavailableError('Telegram gives bots files of at most 20 MB.');
}

async function* readBytes(url: URL, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const response = await openDownload(url, signal);
  try {
    if (response.statusCode !== 200)
      throw new Error(`The Bot API answered ${response.statusCode} for a file.`);
    for await (const chunk of response) yield chunk as Uint8Array;
  } finally {
    response.destroy();
  }
}

/** Follows no redirects. The errors of Node are replaced, because the URL contains the token. */
function openDownload(url: URL, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, { agent: false, signal });
    request.setTimeout(IDLE_MS, () => request.destroy(new Error('The download stood still.')));
    request.on('error', (error: NodeJS.ErrnoException) =>
      reject(new Error(`A file could not be downloaded: ${error.code ?? 'the connection broke'}.`)),
    );
    request.on('response', resolve);
    request.end();
  });
}

/** A live photo and an animation come with a second form of the same file. */
function fileRefs(message: Message): FileRef[] {
  const { photo, document, audio, voice, video, video_note: note, animation, sticker } = message;
  const largest = photo?.at(-1);
  if (animation !== undefined) return [refOf(animation, animation.file_name ?? 'animation.mp4')];
  if (largest !== undefined) return [refOf(largest, 'photo.jpg')];
  if (document !== undefined) return [refOf(document, document.file_name ?? 'document')];
  if (audio !== undefined) return [refOf(audio, audio.file_name ?? 'audio.mp3')];
  if (voice !== undefined) return [refOf(voice, 'voice.ogg')];
  if (video !== undefined) return [refOf(video, video.file_name ?? 'video.mp4')];
  if (note !== undefined) return [refOf(note, 'video.mp4')];
  if (sticker !== undefined) return [refOf(sticker, stickerName(sticker))];
  return [];
}

function stickerName({
  is_animated,
  is_video,
}: {
  readonly is_animated: boolean;
  readonly is_video: boolean;
}): string {
  if (is_video) return 'sticker.webm';
  return is_animated ? 'sticker.tgs' : 'sticker.webp';
}

interface TelegramFile {
  readonly file_id: string;
  readonly file_unique_id: string;
  readonly file_size?: number;
  readonly mime_type?: string;
}

/** Throws for a malformed file: its message is then left out. */
function refOf(file: TelegramFile, name: string): FileRef {
  const { file_id: id, file_unique_id: unique, file_size: size, mime_type: type } = file;
  const texts: readonly unknown[] = [id, unique, name, type ?? ''];
  if (texts.some((text) => typeof text !== 'string')) throw new TypeError('A file is malformed.');
  return { id, unique, name, size, ...(type === undefined ? {} : { type }) };
}
