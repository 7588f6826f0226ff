import { type Config, createMediaPlace, type MediaFiles } from '@plugboard/gateway';
import type { Store } from '@plugboard/store';
import { readMediaRecords, type StorePlace } from '@plugboard/store/move';
import { CommandFailure } from '../failure.ts';

/** Counts of `moveMedia`. */
export interface MovedMediaFiles {
  readonly copied: number;
  readonly bytes: number;
  /** Files that were in the new place already. */
  readonly there: number;
  /** Names of files that are gone, or shorter than their record says. */
  readonly missing: readonly string[];
}

export interface MediaMove {
  readonly config: Config;
  /** The data directory. */
  readonly directory: string;
  readonly from: StorePlace;
  readonly to: StorePlace;
  readonly onProgress: (files: number) => void;
}

/** Files of the largest size that Postgres takes. */
const POSTGRES_LIMIT = 1024 ** 2;

/** Refuses, before anything is copied, files for which the new place is none. */
export async function refuseLargeMedia({
  config,
  from,
  to,
}: Pick<MediaMove, 'config' | 'from' | 'to'>): Promise<void> {
  if (to.kind !== 'postgres' || config.media !== undefined) return;
  let large = 0;
  for await (const { size } of readMediaRecords(from)) if (size > POSTGRES_LIMIT) large += 1;
  if (large > 0)
    throw new CommandFailure(
      `${large} files are larger than 1 MiB, and Postgres keeps smaller ones only. Name a place for files in the configuration first (media.s3 or media.directory), or leave them where they are: without --media.`,
      1,
    );
}

/** Copies the files from where the old store has them to where the gateway looks for them with the new one. */
export async function moveMedia({
  config,
  directory,
  from,
  to,
  onProgress,
}: MediaMove): Promise<MovedMediaFiles> {
  const opened: Store[] = [];
  const filesOf = async (place: StorePlace, media: Config['media']): Promise<MediaFiles> => {
    const { media: _media, ...rest } = config;
    if (media !== undefined) return createMediaPlace(config, directory, {}).files;
    if (place.kind === 'sqlite')
      return createMediaPlace({ ...rest, store: withoutUrl(config.store) }, directory, {}).files;
    const { openPostgres } = await import('@plugboard/store/postgres');
    const store = await openPostgres(place.url);
    opened.push(store);
    const url = { reveal: () => place.url } as NonNullable<Config['store']['url']>;
    return createMediaPlace({ ...rest, store: { ...config.store, url } }, directory, store).files;
  };
  try {
    const old = await filesOf(from, undefined);
    const target = await filesOf(to, config.media);
    return await copyFiles({ old, target, from, onProgress });
  } finally {
    for (const store of opened) await store.close();
  }
}

function withoutUrl({ url: _url, ...store }: Config['store']): Config['store'] {
  return store;
}

async function copyFiles({
  old,
  target,
  from,
  onProgress,
}: {
  readonly old: MediaFiles;
  readonly target: MediaFiles;
  readonly from: StorePlace;
  readonly onProgress: (files: number) => void;
}): Promise<MovedMediaFiles> {
  const done = { copied: 0, bytes: 0, there: 0 };
  const missing: string[] = [];
  const records = [];
  // The records first: Postgres as a source is locked while they are read.
  for await (const record of readMediaRecords(from)) records.push(record);
  for (const { file, size } of records) {
    const present = await target.open(file);
    present?.destroy();
    if (present !== undefined) done.there += 1;
    else if (await copyFile(old, target, file, size)) {
      done.copied += 1;
      done.bytes += size;
    } else missing.push(file);
    onProgress(done.copied + done.there + missing.length);
  }
  return { ...done, missing };
}

async function copyFile(old: MediaFiles, target: MediaFiles, file: string, size: number): Promise<boolean> {
  const bytes = await old.open(file);
  if (bytes === undefined) return false;
  let read = 0;
  await target.put(
    file,
    (async function* () {
      for await (const piece of bytes) {
        read += (piece as Uint8Array).length;
        yield piece as Uint8Array;
      }
    })(),
  );
  if (read === size) return true;
  await target.remove(file);
  return false;
}
