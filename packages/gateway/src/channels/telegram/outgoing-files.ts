import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import type { Attachment } from '@plugboard/host';
import { InputFile } from 'grammy/web';

/** How Telegram shows a file. */
type FileKind = 'photo' | 'video' | 'animation' | 'audio' | 'document';

const KINDS: Readonly<Record<string, FileKind>> = {
  ...{ '.jpg': 'photo', '.jpeg': 'photo', '.png': 'photo', '.webp': 'photo', '.gif': 'animation' },
  ...{ '.mp4': 'video', '.mov': 'video', '.avi': 'video', '.mkv': 'video', '.webm': 'video' },
  ...{ '.mp3': 'audio', '.ogg': 'audio', '.m4a': 'audio', '.wav': 'audio', '.flac': 'audio' },
};

/** By extension, as the Terminal Protocol says; every other file is a document. */
function fileKind({ name, path }: Attachment): FileKind {
  return KINDS[extname(name ?? path ?? '').toLowerCase()] ?? 'document';
}

/** Albums hold pictures and videos; audio and documents go out one by one. */
export function isAlbumFile(file: Attachment): boolean {
  const kind = fileKind(file);
  return (kind === 'photo' || kind === 'video') && !isElsewhere(file);
}

/** Whether a file is on another server. People get its address: Telegram would fetch small files alone. */
function isElsewhere({ path, url = '' }: Attachment): boolean {
  return path === undefined && /^https?:/i.test(url);
}

const MEGABYTE = 1_048_576;
const LARGEST_FILE = 50 * MEGABYTE;
const LARGEST_PHOTO = 10 * MEGABYTE;

/** A file that can be uploaded. */
export interface Upload {
  readonly kind: FileKind;
  /** Makes the file for one call. */
  open(): InputFile;
}

/** Splits `media` into uploads and lines about other files: their address, or why Telegram would refuse them. */
export interface Uploads {
  readonly files: readonly Upload[];
  readonly refused: readonly string[];
}

export async function readUploads(media: readonly Attachment[]): Promise<Uploads> {
  const read = await Promise.all(media.map(readUpload));
  return {
    files: read.filter((one) => typeof one !== 'string'),
    refused: read.filter((one) => typeof one === 'string'),
  };
}

async function readUpload(file: Attachment): Promise<Upload | string> {
  const { path, url } = file;
  const name = fileName(file);
  if (isElsewhere(file)) return `📎 ${url}`;
  const size = path === undefined ? undefined : (await stat(path).catch(() => undefined))?.size;
  if (path === undefined || size === undefined) return `📎 ${name} could not be sent: it is gone.`;
  if (size === 0) return `📎 ${name} could not be sent: it is empty.`;
  if (size > LARGEST_FILE)
    return `📎 ${name} could not be sent: it has ${Math.ceil(size / MEGABYTE)} MB, and Telegram takes 50 MB.`;
  const kind = fileKind(file);
  return {
    kind: kind === 'photo' && size > LARGEST_PHOTO ? 'document' : kind,
    open: () => new InputFile(readLazily(path), name),
  };
}

/** Opens the file at the first read: a call that fails earlier must not leak a descriptor. */
async function* readLazily(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path);
}

/** grammY writes the name into a header without quotes. */
function fileName({ name, path = '' }: Attachment): string {
  return (name ?? basename(path)).toWellFormed().replace(/["\\;\p{Cc}]/gu, '_') || 'file';
}
