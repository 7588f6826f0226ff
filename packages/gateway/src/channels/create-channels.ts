import { join } from 'node:path';
import { reasonOf } from '@plugboard/protocol';
import { systemClock } from '../clock.ts';
import type { Config, PlatformConfig } from '../config/config.ts';
import type { Logger } from '../log.ts';
import { COMMANDS } from '../sessions/commands.ts';
import type { Channel } from './channel.ts';
import { createCliChannel } from './cli/cli.ts';
import { hideSecretsOf } from './hide-secrets.ts';
import { channelKinds } from './kinds.ts';
import { createWebChannel } from './web/web.ts';

/**
 * Makes the channels of a configuration. `directory` is the data directory of the gateway. Throws a sentence when the
 * package of a platform is not installed.
 */
export async function createChannels(
  { channels, server }: Config,
  log: Logger,
  directory?: string,
): Promise<readonly Channel[]> {
  const platforms = [...channels.platforms.values()].map((platform) =>
    createPlatformChannel(platform, server.mediaBytes, log, directory),
  );
  return [
    ...(channels.web.enabled ? [createWebChannel()] : []),
    ...(channels.cli.enabled ? [createCliChannel()] : []),
    ...(await Promise.all(platforms)),
  ];
}

/** Makes one channel of a platform. */
export async function createPlatformChannel(
  { name, kind, settings, sessions, progress }: PlatformConfig,
  mediaBytes: number,
  log: Logger,
  directory?: string,
): Promise<Channel> {
  const { create } = await loadChannelModule(kind);
  const commands = Object.entries(COMMANDS).map(([command, description]) => ({ name: command, description }));
  return create({
    ...{ name, settings, sessions, progress, commands, mediaBytes, clock: systemClock, log },
    ...(directory === undefined ? {} : { directory: join(directory, 'channels', name) }),
  });
}

/** Loads a platform with its client library. */
export async function loadChannelModule(name: string) {
  const kind = channelKinds.get(name);
  if (kind === undefined) throw new Error(`There is no kind of channel "${name}".`);
  try {
    return hideSecretsOf(await kind.load());
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
    if (!missing || kind.packages.length === 0) throw error;
    throw new Error(
      `${kind.title} needs packages that are not installed: npm install ${kind.packages.join(' ')}. (${reasonOf(error)})`,
      { cause: error },
    );
  }
}
