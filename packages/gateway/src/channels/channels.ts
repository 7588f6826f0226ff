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
  /** Whether this gateway may send in a channel. */
  isTaken(channel: string): boolean;
  /** This gateway may send in a channel, and hold its connection. */
  take(channel: string): void;
  /** Another gateway may do so from now on; settles when nothing here does. */
  giveUp(channel: string): Promise<void>;
  state(channel: string): ChannelState | undefined;
  fail(channel: string, reason: string): void;
  stop(): Promise<void>;
}

export interface LivesOptions {
  readonly delivery: () => Delivery;
  readonly clock: Clock;
  readonly log: Logger;
  /** Whether each channel waits for `take`: of several gateways, one at a time may send in it. */
  readonly areShared: boolean;
}

type IngressOf = (channel: Channel, fail: (reason: string) => void) => Ingress;

interface Place {
  readonly channel: Channel;
  isTaken: boolean;
  life: ChannelLife | undefined;
}

export function createLives({ delivery, clock, log, areShared }: LivesOptions): Lives {
  const places = new Map<string, Place>();
  let started: IngressOf | undefined;
  const begin = (place: Place): void => {
    const { channel } = place;
    if (started === undefined || place.life !== undefined) return;
    if (channel.limits.oneConnection === true && !place.isTaken) return;
    const life = createLife({
      clock,
      channel,
      log,
      onReady() {
        if (place.isTaken) void delivery().ready(channel.name);
      },
      onFailed: () => delivery().halt(channel.name),
    });
    place.life = life;
    life.start(started(channel, life.fail));
  };
  return {
    start(ingressOf) {
      started = ingressOf;
      for (const place of places.values()) begin(place);
    },
    add(channel) {
      const place: Place = { channel, isTaken: !areShared, life: undefined };
      places.set(channel.name, place);
      begin(place);
    },
    async remove(name) {
      const { life } = places.get(name) ?? {};
      places.delete(name);
      await life?.stop();
    },
    isTaken: (name) => places.get(name)?.isTaken === true,
    take(name) {
      const place = places.get(name);
      if (place === undefined || place.isTaken) return;
      place.isTaken = true;
      if (place.life?.state === 'ready') void delivery().ready(name);
      else begin(place);
    },
    async giveUp(name) {
      const place = places.get(name);
      if (place === undefined || !place.isTaken) return;
      place.isTaken = false;
      await delivery().reopen(place.channel);
      if (place.channel.limits.oneConnection !== true) return;
      const { life } = place;
      place.life = undefined;
      await life?.stop();
      // Taken again meanwhile.
      if (place.isTaken) begin(place);
    },
    state(name) {
      const place = places.get(name);
      if (place === undefined) return undefined;
      const isElsewhere = areShared && started !== undefined && !place.isTaken && place.life === undefined;
      return place.life?.state ?? (isElsewhere ? 'elsewhere' : 'starting');
    },
    fail: (name, reason) => places.get(name)?.life?.fail(reason),
    async stop() {
      await Promise.all([...places.values()].map(({ life }) => life?.stop()));
    },
  };
}
