import type { Config } from '@plugboard/gateway';
import { demoProfile } from '../target.ts';
import type { Place } from './place.ts';

/** Reads a configuration as `plugboard up` does; without a file, the one that needs none. */
export async function loadConfig(file: string | undefined, place: Place): Promise<Config> {
  const { readConfig } = await import('@plugboard/gateway');
  return readConfig(file, {
    environment: process.env,
    dataDirectory: place.directory,
    demo: demoProfile(undefined),
  });
}
