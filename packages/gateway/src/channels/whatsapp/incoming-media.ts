import { FileUnavailableError, type IncomingFile } from '../channel.ts';
import { type Graph, GraphRefusal } from './graph.ts';
import { textOf } from './payload.ts';

/** A file of a message, before it is looked up. */
export interface Attached {
  readonly id: string;
  readonly name: string | undefined;
  readonly type: string | undefined;
  /** What people call it: an image, a voice message. */
  readonly kind: string;
}

const DOWNLOAD_MS = 120_000;
const MEBIBYTE = 1024 * 1024;

const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'video/mp4': 'mp4',
  'video/3gpp': '3gp',
  'audio/ogg': 'ogg',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'audio/aac': 'aac',
  'audio/amr': 'amr',
  'application/pdf': 'pdf',
  'text/plain': 'txt',
};

/** A file of a message. It is looked up when its bytes are read, after the sender was found to be allowed to talk. */
export function openMedia(graph: Graph, attached: Attached, phone: string, mediaBytes: number): IncomingFile {
  const type = attached.type?.split(';')[0]?.trim();
  const bytes = readMedia(graph, attached, phone, mediaBytes);
  return { name: nameOf(attached), bytes, ...(type === undefined ? {} : { type }) };
}

/** An address is good for five minutes: when it is refused, a new one is asked for once. */
async function* readMedia(
  graph: Graph,
  attached: Attached,
  phone: string,
  mediaBytes: number,
): AsyncGenerator<Uint8Array> {
  const signal = AbortSignal.timeout(DOWNLOAD_MS);
  const { url, size } = await findMedia(graph, attached, phone);
  if (size > mediaBytes)
    throw new FileUnavailableError(`it is larger than ${Math.floor(mediaBytes / MEBIBYTE)} MiB.`);
  try {
    yield* await graph.download(url, signal);
  } catch (error) {
    if (!(error instanceof GraphRefusal)) throw error;
    yield* await graph.download((await findMedia(graph, attached, phone)).url, signal);
  }
}

async function findMedia(
  graph: Graph,
  { id, kind }: Attached,
  phone: string,
): Promise<{ readonly url: string; readonly size: number }> {
  try {
    const { url, file_size: size } = await graph.get(`${encodeURIComponent(id)}?phone_number_id=${phone}`);
    if (typeof url === 'string') return { url, size: Number(size) };
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  throw new FileUnavailableError(`WhatsApp no longer has the ${kind}.`);
}

function isRefusal(error: unknown): boolean {
  return error instanceof GraphRefusal && error.problem === 'never' && !error.stopsChannel;
}

function nameOf({ id, name, type, kind }: Attached): string {
  if (name !== undefined) return name;
  const extension = EXTENSIONS[textOf(type)?.split(';')[0]?.trim() ?? ''];
  const stem = `${kind.replace(/ .*/, '')}-${id.replaceAll(/[^A-Za-z0-9]/g, '').slice(-8)}`;
  return extension === undefined ? stem : `${stem}.${extension}`;
}
