import {
  type FakeSlack,
  type FakeSlackOptions,
  onTestEnd,
  type SlackHook,
  startFakeSlack,
} from '@plugboard/testkit';
import type { Channel } from '../../../src/channels/channel.ts';
import type { ChannelGiven } from '../../../src/channels/kind.ts';
import type { SlackSettings } from '../../../src/channels/slack/settings.ts';
import { create } from '../../../src/channels/slack/slack.ts';
import { type Clock, systemClock } from '../../../src/clock.ts';
import { Secret } from '../../../src/config/secret.ts';
import { silentLogger } from '../../../src/log.ts';
import type { ChannelBench, Failure } from '../channel-suite.ts';
import { BUSY_MS, type Listening, listen } from '../suite/bench.ts';

/** Timers of the channel run this much faster in tests: ten seconds are half a second. */
const FASTER = 20;

export const hastyClock: Clock = {
  ...systemClock,
  now: () => systemClock.now() * FASTER,
  after: (ms, run) => systemClock.after(ms / FASTER, run),
};

/** Settings as the configuration gives them, with secrets that `reveal()` tells. */
export function settingsFor(
  { settings }: Pick<FakeSlack, 'settings'>,
  more: Partial<SlackSettings> = {},
): SlackSettings {
  const secrets = ['bot_token', 'app_token', 'signing_secret'].flatMap((name) =>
    typeof settings[name] === 'string' ? [[name, new Secret(settings[name])]] : [],
  );
  const fixed = { reply_in_thread: true, ...settings, ...Object.fromEntries(secrets), ...more };
  return fixed as unknown as SlackSettings;
}

export function givenFor(
  slack: FakeSlack,
  more: Partial<ChannelGiven<SlackSettings>> = {},
): ChannelGiven<SlackSettings> {
  return {
    name: 'slack',
    settings: settingsFor(slack),
    sessions: 'thread',
    progress: 'edit',
    commands: ['start', 'stop', 'new', 'help'].map((name) => ({ name, description: name })),
    mediaBytes: 1_000,
    clock: hastyClock,
    log: silentLogger,
    ...more,
  };
}

export interface SlackBench extends ChannelBench {
  readonly slack: FakeSlack;
}

export type BenchOptions = FakeSlackOptions & {
  readonly given?: Partial<ChannelGiven<SlackSettings>>;
  readonly settings?: Partial<SlackSettings>;
};

export async function openSlackBench({
  given,
  settings,
  ...options
}: BenchOptions = {}): Promise<SlackBench> {
  const slack = await startFakeSlack(options);
  return benchOf(slack, create(givenFor(slack, { settings: settingsFor(slack, settings), ...given })));
}

/** HTTP mode: the fake posts to `receiveHook`. */
export async function openHookBench(options: BenchOptions = {}): Promise<SlackBench> {
  let channel: Channel | undefined;
  const hook: SlackHook = async (request) => channel?.receiveHook?.(request);
  // A gateway that is not ready answers 503, and Slack asks again.
  const slack = await startFakeSlack({ retryMs: Array.from({ length: 99 }, () => 20), ...options, hook });
  channel = create(givenFor(slack, { settings: settingsFor(slack, options.settings), ...options.given }));
  return benchOf(slack, channel);
}

function benchOf(slack: FakeSlack, channel: Channel): SlackBench {
  return {
    slack,
    channel,
    place: slack.place,
    sessionId: 's1',
    note: async () => 1,
    seen: async () =>
      slack.shown().map(({ platformId, text, files }) => ({ platformId, text, files: files.length })),
    people: { say: (text) => slack.say(text), isAcknowledged: slack.isAcknowledged },
    fail: (failure) => failWith(slack, failure),
    remove: slack.remove,
    calls: () => slack.server.calls.length,
    async [Symbol.asyncDispose]() {
      await channel.stop();
      await slack[Symbol.asyncDispose]();
    },
  };
}

export function isMethod(name: string): (call: { readonly path: string }) => boolean {
  return ({ path }) => path === `/api/${name}`;
}

function failWith({ server }: FakeSlack, failure: Failure): Promise<void> | void {
  if (failure === 'unreachable') return server.down();
  const troubles = {
    lost: 'lose',
    cut: 'cut',
    busy: {
      status: 429,
      headers: { 'retry-after': String(BUSY_MS / 1000) },
      body: { ok: false, error: 'ratelimited' },
    },
    forbidden: { status: 200, body: { ok: false, error: 'is_archived' } },
    'key refused': { status: 200, body: { ok: false, error: 'invalid_auth' } },
  } as const;
  server.trouble(troubles[failure], isMethod('chat.postMessage'));
}

/** A started channel, gone when the test ends. */
export async function startSlack(
  options: BenchOptions & { readonly take?: Parameters<typeof listen>[1]; readonly http?: true } = {},
): Promise<SlackBench & { readonly ingress: Listening & { readonly failed: string[] } }> {
  const { take, http, ...rest } = options;
  const bench = http === true ? await openHookBench(rest) : await openSlackBench(rest);
  onTestEnd(() => bench[Symbol.asyncDispose]());
  const failed: string[] = [];
  const ingress = { ...listen(bench, take), failed, fail: (reason: string) => void failed.push(reason) };
  await bench.channel.start(ingress);
  return { ...bench, ingress };
}
