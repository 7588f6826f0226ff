import { join } from 'node:path';
import type { Store } from '@plugboard/store';
import type { Config } from '../config/config.ts';
import { createDirectoryFiles } from './directory-files.ts';
import type { MediaFiles } from './media-files.ts';
import { createS3Files } from './s3/s3-files.ts';
import { createStoredFiles } from './small-files.ts';

/** Where a gateway keeps files. */
export interface MediaPlace {
  readonly files: MediaFiles;
  /** Other gateways, with stores of their own, could use the place, too. */
  readonly isShared: boolean;
}

/** The place of `config.media`. Without one: the data directory, or the database for a store in Postgres. */
export function createMediaPlace(
  { media, store: { url } }: Config,
  directory: string,
  store: Pick<Store, 'smallFiles'>,
): MediaPlace {
  if (media?.s3 !== undefined) {
    const { accessKey, secretKey, ...bucket } = media.s3;
    const keys = { accessKey: accessKey.reveal(), secretKey: secretKey.reveal() };
    return { files: createS3Files({ ...bucket, keys }), isShared: true };
  }
  if (media?.directory !== undefined)
    return { files: createDirectoryFiles({ directory: media.directory, isOwn: false }), isShared: true };
  if (url !== undefined && store.smallFiles !== undefined)
    return { files: createStoredFiles(store.smallFiles), isShared: false };
  return {
    files: createDirectoryFiles({ directory: join(directory, 'media'), isOwn: true }),
    isShared: false,
  };
}
