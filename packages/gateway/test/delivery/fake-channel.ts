import type { Channel, ChannelLimits, Outgoing, Resolved } from '../../src/channels/channel.ts';
import { type Clock, systemClock } from '../../src/clock.ts';

export interface FakeCall {
  readonly what: 'send' | 'edit' | 'typing' | 'resolve';
  readonly at: number;
  readonly place: string;
  readonly text: string;
  readonly files: readonly string[];
  /** Of the delivery, or of what is edited. */
  readonly id: string;
}

/** Does something before, or instead of, what the channel would do: what it throws, the channel throws. */
type Reaction = (call: FakeCall, nth: number) => unknown;

export interface FakeOptions {
  /** Clock of `FakeCall.at`; the real one when absent. */
  readonly clock?: Pick<Clock, 'now'>;
  readonly name?: string;
  readonly limits?: Partial<ChannelLimits>;
  readonly on?: Partial<Record<FakeCall['what'], Reaction>>;
  /** What the platform cannot. */
  readonly without?: readonly ('edit' | 'typing' | 'resolve')[];
}

export interface FakeChannel extends Channel {
  readonly calls: FakeCall[];
  /** What people see, by the name it has on the platform. */
  readonly shown: Map<string, { readonly place: string; readonly text: string }>;
  made(what: FakeCall['what']): FakeCall[];
  texts(place?: string): string[];
}

/** A channel without a platform: what is sent is seen at once, unless a test wants something else. */
export function createFakeChannel({
  clock = systemClock,
  name = 'fake',
  limits,
  on = {},
  without = [],
}: FakeOptions = {}): FakeChannel {
  const calls: FakeCall[] = [];
  const shown: FakeChannel['shown'] = new Map();
  const note = (what: FakeCall['what'], place: string, id: string, body?: Outgoing): unknown => {
    const files = body?.media.map((file) => file.name ?? '') ?? [];
    const call: FakeCall = { what, at: clock.now(), place, text: body?.text ?? '', files, id };
    calls.push(call);
    return on[what]?.(call, calls.filter((one) => one.what === what).length);
  };
  const channel: Channel = {
    name,
    limits: { readsLog: false, textLength: 60, media: true, ...limits },
    async start() {},
    async send(place, body, { id }) {
      await note('send', place, id, body);
      const platformId = `p${shown.size + 1}`;
      shown.set(platformId, { place, text: body.text });
      return { platformId };
    },
    async stop() {},
    async edit(place, platformId, body) {
      await note('edit', place, platformId, body);
      shown.set(platformId, { place, text: body.text });
    },
    async typing(place) {
      await note('typing', place, '');
    },
    async resolve(place, body, { id }) {
      return ((await note('resolve', place, id, body)) as Resolved | undefined) ?? 'unknown';
    },
  };
  for (const what of without) delete channel[what];
  const made = (what: FakeCall['what']): FakeCall[] => calls.filter((call) => call.what === what);
  const texts = (place?: string): string[] =>
    [...shown.values()].filter((one) => place === undefined || one.place === place).map(({ text }) => text);
  return { ...channel, calls, shown, made, texts };
}

/** Never answers. */
export function hang(): Promise<never> {
  return new Promise(() => {});
}
