import type { MediaView } from '../api/shapes.ts';
import { uniqueId } from '../text/unique.ts';

/** A file that is to go with the next message. */
export interface Upload {
  readonly key: string;
  readonly file: File;
  /** An address of the picture in this browser, to show it before it is there. */
  readonly preview: string | null;
  /** `refused`: it cannot be sent, and trying again cannot help. */
  readonly state: 'waiting' | 'sending' | 'done' | 'failed' | 'refused';
  /** How many bytes have left. */
  readonly sent: number;
  readonly media: MediaView | null;
  readonly problem: string | null;
}

/** What the gateway takes. Asking first saves the person an upload that must fail. */
const LARGEST = 25 * 1024 * 1024;
const MOST_FILES = 20;
/** A browser opens six connections to one address, and two of them are streams: a message must still get through. */
const AT_ONCE = 2;

export function describe(file: File): Upload {
  const picture = /^image\/(png|jpeg|gif|webp|avif)$/.test(file.type);
  const tooLarge = file.size > LARGEST;
  return {
    key: uniqueId(),
    file,
    preview: picture ? URL.createObjectURL(file) : null,
    state: tooLarge ? 'refused' : 'waiting',
    sent: 0,
    media: null,
    problem: tooLarge ? 'Larger than 25 MiB' : null,
  };
}

/** The list with more files; those past what a message takes are refused. */
export function withFresh(list: readonly Upload[], fresh: readonly Upload[]): readonly Upload[] {
  const problem = `A message takes ${MOST_FILES} files`;
  return [...list, ...fresh].map((upload, index) =>
    index < MOST_FILES || !fresh.includes(upload) ? upload : { ...upload, state: 'refused', problem },
  );
}

export function change(list: readonly Upload[], key: string, fields: Partial<Upload>): readonly Upload[] {
  return list.map((upload) => (upload.key === key ? { ...upload, ...fields } : upload));
}

/** Those that are next, as many as may be on their way at once. */
export function waiting(list: readonly Upload[]): readonly Upload[] {
  const free = AT_ONCE - list.filter(({ state }) => state === 'sending').length;
  return list.filter(({ state }) => state === 'waiting').slice(0, Math.max(0, free));
}

/** What keeps the message from being sent: files on their way, or files that did not get there. */
export function obstacle(list: readonly Upload[]): 'busy' | 'failed' | null {
  if (list.some(({ state }) => state === 'failed' || state === 'refused')) return 'failed';
  return list.some(({ state }) => state !== 'done') ? 'busy' : null;
}
