import { reasonOf } from '@plugboard/protocol';
import type { Store, Delivery as Stored } from '@plugboard/store';
import type { Channel } from '../channels/channel.ts';
import type { Logger } from '../log.ts';
import type { AttemptContext } from './attempt.ts';
import { createPause } from './pause.ts';
import { createPreviews, joinPreviews, type Previews } from './preview/preview.ts';
import { createSender, type Sender } from './sender.ts';
import { TIMES, type Times } from './times.ts';

/** Sends what is in the outbox. Each channel has a sender of its own: one that hangs holds up nobody else. */
export interface Delivery {
  readonly previews: Previews;
  /** Something may be there to be sent by this channel. */
  wake(channel: string): void;
  /** Looks at what an earlier gateway has left. Nothing is sent before its channel is ready. */
  start(): Promise<void>;
  /** A channel hears people: what is there for it goes out, once it is known what became of what was cut off. */
  ready(channel: string): Promise<void>;
  /** A channel can send nothing any more. What is there for it waits for the next start, or expires. */
  halt(channel: string): void;
  /** Sends what can be sent at once, and nothing after that; does not wait for ever. */
  stop(): Promise<void>;
}

export interface DeliveryOptions {
  readonly store: Store;
  readonly node: string;
  readonly channels: ReadonlyMap<string, Channel>;
  readonly log: Logger;
  readonly files: AttemptContext['files'];
  /** Nobody can tell whether something arrived in a session. */
  readonly onDoubt: (sessionId: string) => void;
  /** A channel says that it is of no use any more. */
  readonly onStop: (channel: string, reason: string) => void;
  readonly times?: Partial<Times>;
}

export function createDelivery(options: DeliveryOptions): Delivery {
  const { store, node, channels, log } = options;
  const times = { ...TIMES, ...options.times };
  const ways = new Map(
    [...channels.values()].map((channel) => [channel.name, wayOf(options, times, channel)]),
  );
  const expire = (): void => {
    store.outbox
      .expire()
      .catch((error) => log.error(`The outbox cannot be looked through: ${reasonOf(error)}`));
  };
  let timer: NodeJS.Timeout | undefined;
  let cutOff: readonly Stored[] = [];
  return {
    previews: joinPreviews(new Map([...ways].map(([name, { previews }]) => [name, previews]))),
    wake: (channel) => ways.get(channel)?.sender.wake(),
    async start() {
      cutOff = await store.outbox.recover(node);
      await store.outbox.expire();
      for (const { id, channel, sessionId } of cutOff) {
        const fields = { delivery: id, channel, session: sessionId };
        log.warn('It is not known whether something was delivered before the gateway ended.', fields);
      }
      timer = setInterval(expire, times.expireMs);
      timer.unref();
    },
    async ready(channel) {
      const own = cutOff.filter((delivery) => delivery.channel === channel);
      cutOff = cutOff.filter((delivery) => delivery.channel !== channel);
      await ways.get(channel)?.sender.ready(own);
    },
    halt(channel) {
      ways.get(channel)?.sender.halt();
      ways.get(channel)?.previews.stop();
    },
    async stop() {
      clearInterval(timer);
      await Promise.all([...ways.values()].map(({ sender }) => sender.stop()));
      for (const { previews } of ways.values()) previews.stop();
    },
  };
}

/** What one channel has for itself: its sender, what it shows meanwhile, and how long both keep still. */
function wayOf(
  { store, node, log, files, onDoubt, onStop }: DeliveryOptions,
  times: Times,
  channel: Channel,
): { readonly sender: Sender; readonly previews: ReturnType<typeof createPreviews> } {
  const pause = createPause();
  const stopped = (reason: string): void => onStop(channel.name, reason);
  const previews = createPreviews({ channel, pause, times, onStop: stopped });
  const sender = createSender({
    store,
    node,
    channel,
    log,
    files,
    previews,
    times,
    pause,
    onDoubt,
    onStop: stopped,
  });
  return { sender, previews };
}
