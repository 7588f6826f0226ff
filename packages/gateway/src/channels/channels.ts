import type { Delivery } from '../delivery/delivery.ts';
import type { Logger } from '../log.ts';
import type { Channel, Ingress } from './channel.ts';
import { type ChannelState, createLife } from './life.ts';

/** The channels of a gateway, each with a life of its own. */
export interface Lives {
  /** Begins to start all of them; waits for none. */
  start(ingressOf: (channel: Channel, fail: (reason: string) => void) => Ingress): void;
  state(channel: string): ChannelState | undefined;
  fail(channel: string, reason: string): void;
  stop(): Promise<void>;
}

export function createLives(
  channels: ReadonlyMap<string, Channel>,
  delivery: () => Delivery,
  log: Logger,
): Lives {
  const lives = new Map(
    [...channels].map(([name, channel]) => {
      const onReady = (): void => void delivery().ready(name);
      const onFailed = (): void => delivery().halt(name);
      return [name, { channel, life: createLife({ channel, log, onReady, onFailed }) }];
    }),
  );
  return {
    start(ingressOf) {
      for (const { channel, life } of lives.values()) life.start(ingressOf(channel, life.fail));
    },
    state: (channel) => lives.get(channel)?.life.state,
    fail: (channel, reason) => lives.get(channel)?.life.fail(reason),
    async stop() {
      await Promise.all([...lives.values()].map(({ life }) => life.stop()));
    },
  };
}
