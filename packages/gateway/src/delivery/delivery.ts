import { reasonOf } from '@plugboard/protocol';
import type { Store, Delivery as Stored } from '@plugboard/store';
import type { Channel } from '../channels/channel.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../log.ts';
import type { AttemptContext } from './attempt.ts';
import { createPause } from './pause.ts';
import { createPreviews, joinPreviews, type Previews } from './preview/preview.ts';
import { createSender, type Sender } from './sender.ts';
import { EXPIRE_MS } from './times.ts';

/**
 * Sends deliveries from the outbox. Each channel has its own `Sender`, so that a slow channel does not delay another.
 */
export interface Delivery {
  readonly previews: Previews;
  /** Adds a channel, which sends after `ready`. */
  add(channel: Channel): void;
  /** Forgets a channel. Its deliveries wait for the next channel of that name, or expire. */
  remove(channel: string): void;
  /** Call after a delivery of this channel was added. */
  wake(channel: string): void;
  /** Closes a channel until the next `ready`; settles when no delivery is being sent. */
  reopen(channel: Channel): Promise<void>;
  /** Recovers deliveries of an earlier gateway. A channel sends only after `ready`. */
  start(): Promise<void>;
  /** Recovers deliveries that another gateway was sending when it died. */
  recover(node: string): Promise<void>;
  /** The channel has started: settles deliveries that were cut off, then sends pending ones. */
  ready(channel: string): Promise<void>;
  /** The channel has failed. Its deliveries wait for the next start, or expire. */
  halt(channel: string): void;
  /** Sends all that is due, then stops; waits at most `stopMs`. */
  stop(): Promise<void>;
}

export interface DeliveryOptions {
  readonly clock: Clock;
  readonly store: Store;
  readonly node: string;
  readonly log: Logger;
  readonly files: AttemptContext['files'];
  /** Whether this gateway sends in a channel. Previews of another one would not be replaced by the answer. */
  readonly sendsIn: (channel: string) => boolean;
  /** Called when a delivery of the session is `unknown`, `failed` or `expired`. */
  readonly onDoubt: (sessionId: string) => void;
  /** Called when a channel cannot be used until its settings change. */
  readonly onStop: (channel: string, reason: string) => void;
}

export function createDelivery(options: DeliveryOptions): Delivery {
  const { clock, store, node, log, sendsIn } = options;
  const ways = new Map<string, ReturnType<typeof createWay>>();
  const halt = (channel: string): void => {
    ways.get(channel)?.sender.halt();
    ways.get(channel)?.previews.stop();
  };
  const expire = (): void => {
    cancelExpiry = clock.after(EXPIRE_MS, expire);
    markExpired(options).catch((error) =>
      log.error(`Expired deliveries cannot be marked: ${reasonOf(error)}`, {
        code: 'outbox-expiry-failed',
      }),
    );
  };
  let cancelExpiry: (() => void) | undefined;
  let cutOff: readonly Stored[] = [];
  const recover = async (dead: string): Promise<void> => {
    const found = await store.outbox.recover(dead);
    cutOff = [...cutOff, ...found];
    for (const { id, channel, sessionId } of found) {
      log.warn('A delivery was cut off by the end of the gateway, and may have arrived.', {
        code: 'delivery-cut-off',
        delivery: id,
        channel,
        session: sessionId,
      });
    }
  };
  return {
    previews: joinPreviews((channel) => (sendsIn(channel) ? ways.get(channel)?.previews : undefined)),
    add: (channel) => void ways.set(channel.name, createWay(options, channel)),
    remove(channel) {
      halt(channel);
      ways.delete(channel);
    },
    wake: (channel) => ways.get(channel)?.sender.wake(),
    async reopen(channel) {
      const way = ways.get(channel.name);
      halt(channel.name);
      ways.set(channel.name, createWay(options, channel));
      await way?.sender.settled();
    },
    recover,
    async start() {
      await recover(node);
      await markExpired(options);
      cancelExpiry = clock.after(EXPIRE_MS, expire);
    },
    async ready(channel) {
      const own = cutOff.filter((delivery) => delivery.channel === channel);
      cutOff = cutOff.filter((delivery) => delivery.channel !== channel);
      await ways.get(channel)?.sender.ready(own);
    },
    halt,
    async stop() {
      cancelExpiry?.();
      await Promise.all([...ways.values()].map(({ sender }) => sender.stop()));
      for (const { previews } of ways.values()) previews.stop();
    },
  };
}

/** Most expired deliveries of one round that are told one by one. */
const MOST_TOLD = 1_000;

/** Marks what has waited too long, and tells the operator and, with the next answer, the people. */
async function markExpired({ store, log, onDoubt }: DeliveryOptions): Promise<void> {
  const count = await store.outbox.expire();
  if (count === 0) return;
  // They have all waited equally long, so that the newest of all expired ones are those of this round.
  const expired = await store.outbox.list({ state: 'expired', limit: Math.min(count, MOST_TOLD) });
  for (const { id, channel, sessionId, problem } of expired) {
    log.warn(`A delivery was not sent in time: ${problem ?? 'its turn did not come.'}`, {
      code: 'delivery-expired',
      delivery: id,
      channel,
      session: sessionId,
    });
    onDoubt(sessionId);
  }
}

/** Sender and previews of one channel, which share a `Pause`. */
function createWay(
  { clock, store, node, log, files, onDoubt, onStop }: DeliveryOptions,
  channel: Channel,
): { readonly sender: Sender; readonly previews: ReturnType<typeof createPreviews> } {
  const pause = createPause(clock);
  const stopped = (reason: string): void => onStop(channel.name, reason);
  const previews = createPreviews({ clock, channel, pause, onStop: stopped });
  const sender = createSender({
    store,
    node,
    channel,
    log,
    files,
    previews,
    clock,
    pause,
    onDoubt,
    onStop: stopped,
  });
  return { sender, previews };
}
