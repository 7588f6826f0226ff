import type { Store } from '@plugboard/store';
import type { Channel } from '../channels/channel.ts';
import { type Logger, reasonOf } from '../log.ts';
import { createSender, type Sender } from './sender.ts';

/** What is past its time is marked so this often. */
const EXPIRE_MS = 30_000;

/** Sends what is in the outbox. Each channel has a sender of its own: one that hangs holds up nobody else. */
export interface Delivery {
  /** Something may be there to be sent by this channel. */
  wake(channel: string): void;
  /** Finds out what became of what an earlier gateway was sending, and begins to send. */
  start(): Promise<void>;
  /** Sends nothing more; waits for what is under way, but not for ever. */
  stop(): Promise<void>;
}

export interface DeliveryOptions {
  readonly store: Store;
  readonly node: string;
  readonly channels: ReadonlyMap<string, Channel>;
  readonly log: Logger;
}

export function createDelivery({ store, node, channels, log }: DeliveryOptions): Delivery {
  const senders = new Map<string, Sender>();
  for (const channel of channels.values())
    senders.set(channel.name, createSender({ store, node, channel, log }));
  const expire = (): void => {
    store.outbox
      .expire()
      .catch((error) => log.error(`The outbox cannot be looked through: ${reasonOf(error)}`));
  };
  let timer: NodeJS.Timeout | undefined;
  return {
    wake: (channel) => senders.get(channel)?.wake(),
    async start() {
      const doubtful = await store.outbox.recover(node);
      await store.outbox.expire();
      for (const delivery of doubtful) {
        const fields = { delivery: delivery.id, channel: delivery.channel, session: delivery.sessionId };
        log.warn('It is not known whether something was delivered before the gateway ended.', fields);
      }
      for (const [name, sender] of senders) {
        await sender.resolve(doubtful.filter(({ channel }) => channel === name));
        sender.wake();
      }
      timer = setInterval(expire, EXPIRE_MS);
      timer.unref();
    },
    async stop() {
      clearInterval(timer);
      await Promise.all([...senders.values()].map((sender) => sender.stop()));
    },
  };
}
