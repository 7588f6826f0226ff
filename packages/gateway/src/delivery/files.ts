import type { Attachment } from '@plugboard/host';
import { type MediaShelf, mediaUrl } from '../media/shelf.ts';

/** Finds the files of a delivery, which are kept by their address: a channel reads them from where they lie. */
export function createFiles(shelf: MediaShelf): (media: readonly Attachment[]) => Promise<Attachment[]> {
  const prefix = mediaUrl('');
  const find = async (file: Attachment): Promise<Attachment> => {
    if (file.path !== undefined || file.url?.startsWith(prefix) !== true) return file;
    const media = await shelf.get(file.url.slice(prefix.length));
    return media === undefined ? file : { ...file, path: shelf.path(media) };
  };
  return (media) => Promise.all(media.map(find));
}
