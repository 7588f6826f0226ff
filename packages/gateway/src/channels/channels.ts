import type { Clock } from '../clock.ts';
import type { Delivery } from '../delivery/delivery.ts';
import type { Logger } from '../log.ts';
import type { Channel, Ingress } from './channel.ts';
import { type ChannelLife, type ChannelState, createLife } from './life.ts';

/** The channels of a gateway. Each starts and fails independently. */
export interface Lives {
  /** Starts all channels without waiting for them, and from then on each that is added. */
  start(ingressOf: IngressOf): void;
  add(channel: Channel): void;
  /** Stops a channel and forgets it. */
  remove(channel: string): Promise<void>;
  state(channel: string): ChannelState | undefined;
  fail(channel: string, reason: string): void;
  stop(): Promise<void>;
}

type IngressOf = (channel: Channel, fail: (reason: string) => void) => Ingress;

export function createLives(delivery: () => Delivery, clock: Clock, log: Logger): Lives {
  const lives = new Map<string, { readonly channel: Channel; readonly life: ChannelLife }>();
  let started: IngressOf | undefined;
  const begin = (channel: Channel, life: ChannelLife): void => {
    if (started !== undefined) life.start(started(channel, life.fail));
  };
  return {
    start(ingressOf) {
      started = ingressOf;
      for (const { channel, life } of lives.values()) begin(channel, life);
    },
    add(channel) {
      const { name } = channel;
      const onReady = (): void => void delivery().ready(name);
      const onFailed = (): void => delivery().halt(name);
      const life = createLife({ clock, channel, log, onReady, onFailed });
      lives.set(name, { channel, life });
      begin(channel, life);
    },
    async remove(name) {
      const { life } = lives.get(name) ?? {};
      lives.delete(name);
      await life?.stop();
    },
    state: (channel) => lives.get(channel)?.life.state,
    fail: (channel, reason) => lives.get(channel)?.life.fail(reason),
    async stop() {
      await Promise.all([...lives.values()].map(({ life }) => life.stop()));
    },
  };
}
