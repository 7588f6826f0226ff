import type { Config } from '@plugboard/gateway';
import { demoAgents } from './demos.ts';
import type { Place } from './place.ts';

/** Reads a configuration as `plugboard up` does; without a file, the one that needs none. */
export async function loadConfig(file: string | undefined, place: Place): Promise<Config> {
  const { readConfig } = await import('@plugboard/gateway');
  return readConfig(file, {
    environment: process.env,
    dataDirectory: place.directory,
    demos: demoAgents(place),
  });
}
