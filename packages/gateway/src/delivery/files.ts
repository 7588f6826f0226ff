import type { Attachment } from '@plugboard/host';
import { type MediaStore, mediaUrl } from '../media/media-store.ts';

/** Resolves media URLs of a delivery to paths, from which a channel reads the files. */
export function createFiles(store: MediaStore): (media: readonly Attachment[]) => Promise<Attachment[]> {
  const prefix = mediaUrl('');
  const find = async (file: Attachment): Promise<Attachment> => {
    if (file.path !== undefined || file.url?.startsWith(prefix) !== true) return file;
    const media = await store.get(file.url.slice(prefix.length));
    return media === undefined ? file : { ...file, path: await store.localPath(media) };
  };
  return (media) => Promise.all(media.map(find));
}
