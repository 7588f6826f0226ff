import { type FakePlatforms, startFakePlatforms, until } from '@plugboard/testkit';
import { type Home, home, type Up } from '../gateway.ts';

/** A place for a gateway with a channel on each platform, which are fakes. */
export interface PlatformsBench extends AsyncDisposable {
  readonly home: Home;
  readonly platforms: FakePlatforms['all'];
  /** Starts the gateway, and points the webhooks of the platforms to it. */
  up(): Promise<Up>;
  /** Like `up`, and waits until all channels are connected: Discord hands on nothing of before its first connection. */
  upAndReady(): Promise<Up>;
}

/** `config` is the configuration without its channels. */
export async function startPlatforms(config: Record<string, unknown>): Promise<PlatformsBench> {
  const place = home();
  const fakes = await startFakePlatforms();
  // JSON is YAML.
  place.write(JSON.stringify({ ...config, channels: fakes.channelsIn(place.path) }));
  const start = async (): Promise<Up> => {
    const up = await place.up();
    fakes.connect(up.url);
    return up;
  };
  return {
    home: place,
    platforms: fakes.all,
    up: start,
    async upAndReady() {
      const up = await start();
      await until(() => areReady(up), 'the channels to be connected', 20_000);
      return up;
    },
    async [Symbol.asyncDispose]() {
      await place[Symbol.asyncDispose]();
      await fakes[Symbol.asyncDispose]();
    },
  };
}

async function areReady(up: Up): Promise<boolean> {
  const { json } = await up.api<{ channels: { state: string }[] }>('GET', '/api/channels');
  return json.channels.every(({ state }) => state === 'ready');
}
