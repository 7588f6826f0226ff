import { createId, type MediaView } from '@plugboard/client';

/** A file that is to go with the next message. */
export interface Upload {
  readonly key: string;
  readonly file: File;
  /** An object URL of the picture, shown until the upload is done. */
  readonly preview: string | null;
  /** `refused`: it cannot be sent, and trying again cannot help. */
  readonly state: 'waiting' | 'sending' | 'done' | 'failed' | 'refused';
  /** Number of bytes sent. */
  readonly sent: number;
  readonly media: MediaView | null;
  readonly problem: string | null;
}

/** The limits of the gateway: checked here to spare the user an upload that it would refuse. */
const LARGEST = 25 * 1024 * 1024;
const MOST_FILES = 20;
/**
 * Browsers allow 6 connections to one host over HTTP/1.1, 2 of which are event streams: one must stay free for
 * messages.
 */
const AT_ONCE = 2;

export function createUpload(file: File): Upload {
  const picture = /^image\/(png|jpeg|gif|webp|avif)$/.test(file.type);
  const tooLarge = file.size > LARGEST;
  return {
    key: createId(),
    file,
    preview: picture ? URL.createObjectURL(file) : null,
    state: tooLarge ? 'refused' : 'waiting',
    sent: 0,
    media: null,
    problem: tooLarge ? 'Larger than 25 MiB' : null,
  };
}

/** The list with `fresh` files; files beyond `MOST_FILES` get the state `refused`. */
export function withFresh(list: readonly Upload[], fresh: readonly Upload[]): readonly Upload[] {
  const problem = `A message takes ${MOST_FILES} files`;
  return [...list, ...fresh].map((upload, index) =>
    index < MOST_FILES || !fresh.includes(upload) ? upload : { ...upload, state: 'refused', problem },
  );
}

export function changeUpload(
  list: readonly Upload[],
  key: string,
  fields: Partial<Upload>,
): readonly Upload[] {
  return list.map((upload) => (upload.key === key ? { ...upload, ...fields } : upload));
}

/** The next files to upload: with those in the state `sending`, at most `AT_ONCE`. */
export function nextUploads(list: readonly Upload[]): readonly Upload[] {
  const free = AT_ONCE - list.filter(({ state }) => state === 'sending').length;
  return list.filter(({ state }) => state === 'waiting').slice(0, Math.max(0, free));
}

/** Why the message cannot be sent yet: `busy` while files upload, `failed` after a failed or refused file. */
export function findObstacle(list: readonly Upload[]): 'busy' | 'failed' | null {
  if (list.some(({ state }) => state === 'failed' || state === 'refused')) return 'failed';
  return list.some(({ state }) => state !== 'done') ? 'busy' : null;
}
