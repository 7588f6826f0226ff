import type { Attachment } from '@plugboard/host';
import { reasonOf } from '@plugboard/protocol';
import type { Media, Message } from '@plugboard/store';
import type { Logger } from '../log.ts';

export interface FetchOptions {
  readonly get: (id: string) => Promise<Media | undefined>;
  readonly localPath: (media: Media) => Promise<string>;
  readonly log: Logger;
}

/** `mediaUrl` of any id. */
const OWN_URL = /^\/api\/media\/([\w-]+)$/;

/** Gives each file of a message a path on this machine. The path in the message is of the machine that took it in. */
export async function fetchAttachments(message: Message, options: FetchOptions): Promise<Message> {
  if (!message.attachments.some(isOwn)) return message;
  const attachments: Attachment[] = [];
  const lines = [message.text];
  for (const file of message.attachments) {
    const fetched = await fetchOne(file, options);
    if (typeof fetched !== 'string') attachments.push(fetched);
    else {
      lines.push(`[${file.name ?? 'A file'} was left out: it cannot be read now.]`);
      options.log.warn(`A file was not given to the agent: ${fetched}`, {
        code: 'media-not-fetched',
        session: message.sessionId,
        message: message.id,
      });
    }
  }
  return { ...message, attachments, text: lines.filter((line) => line !== '').join('\n') };
}

function isOwn({ url }: Attachment): boolean {
  return url !== undefined && OWN_URL.test(url);
}

/** The reason when the file cannot be read. */
async function fetchOne(file: Attachment, { get, localPath }: FetchOptions): Promise<Attachment | string> {
  const id = OWN_URL.exec(file.url ?? '')?.[1];
  if (id === undefined) return file;
  try {
    const media = await get(id);
    return media === undefined ? file : { ...file, path: await localPath(media) };
  } catch (error) {
    return reasonOf(error);
  }
}
