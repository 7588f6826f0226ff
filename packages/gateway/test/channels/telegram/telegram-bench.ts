import {
  type FakeTelegram,
  type FakeTelegramOptions,
  onTestEnd,
  startFakeTelegram,
} from '@plugboard/testkit';
import type { Channel, Inbound, Ingress, Outgoing, SendContext } from '../../../src/channels/channel.ts';
import type { ChannelGiven } from '../../../src/channels/kind.ts';
import type { TelegramSettings } from '../../../src/channels/telegram/settings.ts';
import { create } from '../../../src/channels/telegram/telegram.ts';
import { type Clock, systemClock } from '../../../src/clock.ts';
import { Secret } from '../../../src/config/secret.ts';
import { type LogFields, type Logger, silentLogger } from '../../../src/log.ts';
import { type Listening, listen } from '../suite/bench.ts';

export interface TelegramSetting {
  readonly settings?: Partial<TelegramSettings>;
  readonly clock?: Clock;
  readonly log?: Logger;
  readonly mediaBytes?: number;
  readonly commands?: ChannelGiven<TelegramSettings>['commands'];
}

export function settingsFor(
  { token, server }: FakeTelegram,
  more: Partial<TelegramSettings> = {},
): TelegramSettings {
  return { token: new Secret(token), mode: 'polling', api: server.url, ...more };
}

export function channelFor(platform: FakeTelegram, setting: TelegramSetting = {}): Channel {
  const { settings, clock = systemClock, log = silentLogger, mediaBytes = 50_000_000 } = setting;
  return create({
    name: 'telegram',
    settings: settingsFor(platform, settings),
    sessions: 'thread',
    progress: 'edit',
    commands: setting.commands ?? [{ name: 'stop', description: 'stops' }],
    mediaBytes,
    clock,
    log,
  });
}

/** A log that keeps the codes of its entries, and all that was written. */
export function createTestLog(): Logger & { readonly codes: string[]; readonly written: string[] } {
  const codes: string[] = [];
  const written: string[] = [];
  const note = (message: string, fields: LogFields = {}): void => {
    codes.push(String(fields.code));
    written.push(`${message} ${JSON.stringify(fields)}`);
  };
  return { codes, written, debug: note, info: note, warn: note, error: note };
}

/** A started channel before a fake platform. */
export interface TelegramBench extends AsyncDisposable {
  readonly platform: FakeTelegram;
  readonly channel: Channel;
  readonly ingress: Listening;
  readonly log: ReturnType<typeof createTestLog>;
  /** Sends something as a delivery. */
  send(body: Partial<Outgoing>, place?: string, signal?: AbortSignal): ReturnType<Channel['send']>;
  /** Calls of a method, with the fields of JSON bodies. */
  calls(method: string): Record<string, unknown>[];
}

export async function openTelegram(
  setting: TelegramSetting & {
    readonly platform?: FakeTelegramOptions;
    /** What becomes of a message. */
    readonly take?: (message: Inbound) => Promise<void>;
    readonly ingress?: Partial<Ingress>;
    /** Prepares the platform before the channel starts. */
    readonly prepare?: (platform: FakeTelegram) => void;
  } = {},
): Promise<TelegramBench> {
  const platform = await startFakeTelegram(setting.platform);
  const log = createTestLog();
  const channel = channelFor(platform, { log, ...setting });
  const heard = listen({ sessionId: 's1', note: async () => 1 } as never, setting.take);
  const ingress = { ...heard, ...setting.ingress };
  setting.prepare?.(platform);
  const dispose = async (): Promise<void> => {
    await channel.stop();
    await platform[Symbol.asyncDispose]();
  };
  onTestEnd(dispose);
  await channel.start(ingress);
  return {
    ...{ platform, channel, ingress, log },
    send: (body, place = platform.place, signal = new AbortController().signal) =>
      channel.send(place, { kind: 'message', text: '', media: [], ...body }, contextFor(signal)),
    calls: (method) => callsOf(platform, method),
    [Symbol.asyncDispose]: dispose,
  };
}

let deliveries = 0;

function contextFor(signal: AbortSignal): SendContext {
  deliveries += 1;
  return { id: `t${deliveries}`, sessionId: 's1', attempt: 1, signal };
}

export function callsOf({ server }: FakeTelegram, method: string): Record<string, unknown>[] {
  return server.calls
    .filter(({ path }) => path.endsWith(`/${method}`))
    .map(({ headers, body }) =>
      headers['content-type'] === 'application/json' && body.length > 0
        ? JSON.parse(body.toString('utf8'))
        : {},
    );
}

/** An answer of the Bot API that refuses a call. */
export function refusal(status: number, description: string, parameters?: object) {
  return { status, body: { ok: false, error_code: status, description, ...(parameters && { parameters }) } };
}

/** Matches calls of a method. */
export function calling(method: string) {
  return ({ path }: { readonly path: string }): boolean => path.endsWith(`/${method}`);
}
