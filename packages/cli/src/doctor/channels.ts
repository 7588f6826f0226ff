import { type Config, loadChannelModule, type PlatformConfig } from '@plugboard/gateway';
import { requestGateway } from '../gateway/client.ts';
import { readInstance } from '../gateway/instance.ts';
import type { Place } from '../gateway/place.ts';
import { type Check, createFailure, createOk, createWarning } from './check.ts';

/**
 * Checks of each chat platform: it accepts the key, its settings let messages through, and a gateway that runs has not
 * stopped the channel.
 */
export function channelChecks({ channels }: Config, place: Place): readonly Check[] {
  return [...channels.platforms.values()].map((platform) => ({
    id: `channel/${platform.name}`,
    run: async () => (await stoppedCheck(platform, place)) ?? (await proveCheck(platform)),
  }));
}

/** A failure when the gateway that runs has the channel `failed`; undefined otherwise, and without a gateway. */
async function stoppedCheck({ name }: PlatformConfig, place: Place) {
  const channel = (await readChannels(place)).find((one) => one.name === name);
  if (channel?.state !== 'failed') return undefined;
  const reason = channel.lastError?.message ?? 'it did not say why';
  return createFailure(
    `The gateway that runs has stopped it: ${reason}`,
    'Correct what it says, and change its settings or start the gateway again.',
  );
}

interface RunningChannel {
  readonly name: string;
  readonly state: string;
  readonly lastError: { readonly message: string } | null;
}

/** The channels of the gateway that runs; none when it does not answer, which `storeCheck` reports. */
async function readChannels(place: Place): Promise<readonly RunningChannel[]> {
  const instance = readInstance(place.instanceFile);
  if (instance === undefined) return [];
  type Answer = { readonly channels: readonly RunningChannel[] };
  const answer = await requestGateway<Answer>(instance, 'GET', '/api/channels').catch(() => undefined);
  return answer?.channels ?? [];
}

async function proveCheck(platform: PlatformConfig) {
  const { prove } = await loadChannelModule(platform.kind);
  const { name, remarks } = await prove(platform);
  const [first] = remarks;
  if (first !== undefined)
    return createWarning(`The platform knows it as ${name}. ${first}`, remarks.slice(1).join(' '));
  return createOk(`The platform knows it as ${name}.`);
}
