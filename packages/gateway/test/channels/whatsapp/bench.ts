import {
  type FakeWhatsapp,
  type FakeWhatsappOptions,
  onTestEnd,
  startFakeWhatsapp,
} from '@plugboard/testkit';
import type { Channel } from '../../../src/channels/channel.ts';
import { whatsappFields } from '../../../src/channels/whatsapp/settings.ts';
import { create } from '../../../src/channels/whatsapp/whatsapp.ts';
import { systemClock } from '../../../src/clock.ts';
import { Secret } from '../../../src/config/secret.ts';
import { type Logger, silentLogger } from '../../../src/log.ts';
import type { ChannelBench, Failure } from '../channel-suite.ts';
import { BUSY_MS, type Listening, listen } from '../suite/bench.ts';

export interface WhatsappBench extends ChannelBench {
  readonly platform: FakeWhatsapp;
}

const SECRETS = ['token', 'app_secret', 'verify_token'];

/** Settings of the fake, as the configuration would give them. */
export function settingsOf(platform: FakeWhatsapp, others: object = {}) {
  const given = Object.entries({ ...platform.settings, ...others });
  const plain = given.filter(([name]) => !SECRETS.includes(name));
  const secrets = given.filter(([name]) => SECRETS.includes(name));
  const fields = whatsappFields.omit({ token: true, app_secret: true, verify_token: true });
  return {
    ...fields.parse(Object.fromEntries(plain)),
    ...(Object.fromEntries(secrets.map(([name, value]) => [name, new Secret(String(value))])) as {
      readonly token: Secret;
      readonly app_secret: Secret;
      readonly verify_token: Secret;
    }),
  };
}

/** The channel with the fake platform before it; webhooks go straight to the channel. */
export function createWhatsapp(
  platform: FakeWhatsapp,
  others: object = {},
  { log = silentLogger, mediaBytes = 1_000_000 }: { log?: Logger; mediaBytes?: number } = {},
): Channel {
  const channel = create({
    ...{ name: 'whatsapp', settings: settingsOf(platform, others), sessions: 'thread', progress: 'message' },
    ...{ commands: [], mediaBytes, clock: systemClock, log },
  });
  platform.webhooks.connect(async (request) => (await channel.receiveHook?.(request)) ?? { status: 404 });
  return channel;
}

export async function openWhatsapp(
  options?: FakeWhatsappOptions,
  others: object = {},
): Promise<WhatsappBench> {
  const platform = await startFakeWhatsapp(options);
  const channel = createWhatsapp(platform, others);
  return {
    channel,
    platform,
    place: platform.place,
    sessionId: 's1',
    note: async () => 1,
    seen: async () =>
      platform.shown().map(({ platformId, text, files }) => ({ platformId, text, files: files.length })),
    people: { say: (text) => platform.say(text), isAcknowledged: platform.isAcknowledged },
    fail: (failure) => failWith(platform, failure),
    calls: () => platform.server.calls.length,
    async [Symbol.asyncDispose]() {
      await channel.stop();
      await platform[Symbol.asyncDispose]();
    },
  };
}

/** A started channel, gone when the test ends. */
export async function startWhatsapp(
  options?: FakeWhatsappOptions,
  others: object = {},
): Promise<WhatsappBench & { readonly ingress: Listening }> {
  const bench = await openWhatsapp(options, others);
  onTestEnd(() => bench[Symbol.asyncDispose]());
  const ingress = listen(bench);
  await bench.channel.start(ingress);
  return { ...bench, ingress };
}

/** An answer of the Graph API that refuses a call. */
export function graphError(code: number, status = 400): { status: number; body: object } {
  return { status, body: { error: { code, message: `(#${code}) refused`, error_data: { details: 'why' } } } };
}

function failWith({ server }: FakeWhatsapp, failure: Failure): Promise<void> | void {
  if (failure === 'unreachable') return server.down();
  const troubles = {
    lost: 'lose',
    cut: 'cut',
    busy: { ...graphError(80007, 429), headers: { 'retry-after': String(BUSY_MS / 1000) } },
    forbidden: graphError(131026),
    'key refused': graphError(190, 401),
  } as const;
  server.trouble(troubles[failure], () => true);
}
