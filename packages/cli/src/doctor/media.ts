import { type Config, createMediaPlace } from '@plugboard/gateway';
import { reasonOf } from '@plugboard/protocol';
import type { Place } from '../gateway/place.ts';
import { createFailure, createOk, createWarning, type Finding } from './check.ts';

/** Stores a small file where the gateway keeps files, reads it and removes it. */
export async function mediaCheck(config: Config, { directory }: Place): Promise<Omit<Finding, 'id'>> {
  if (config.media === undefined && config.store.url !== undefined)
    return createWarning(
      'Files of up to 1 MiB are kept in the Postgres database, and larger ones are refused.',
      'Name a place for files: media.s3, or media.directory.',
    );
  const { files } = createMediaPlace(config, directory, {});
  try {
    await files.check();
    return createOk(`Files can be kept in ${files.place}, read and removed.`);
  } catch (error) {
    return createFailure(reasonOf(error), 'Correct media in the configuration, or the place that it names.');
  }
}
