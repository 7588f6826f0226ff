import { setTimeout as sleep } from 'node:timers/promises';
import type { DeliveryOutcome, Store, Delivery as Stored } from '@plugboard/store';
import { type Channel, type Outgoing, type SendContext, SendError } from '../channels/channel.ts';
import { type Logger, reasonOf } from '../log.ts';
import { retryDelay } from './retry.ts';

const PARALLEL = 8;

/** A channel that does not answer for so long has lost it, one way or the other. */
const SEND_MS = 60_000;

/** What the outbox holds for later is looked at again after so long, at the latest. */
const LOOK_MS = 5_000;
const STOP_MS = 5_000;

export interface SenderOptions {
  readonly store: Store;
  readonly node: string;
  readonly channel: Channel;
  readonly log: Logger;
}

/** Empties the outbox of one channel. */
export interface Sender {
  wake(): void;
  /** Asks the channel about deliveries that were cut off; those it cannot tell of stay for a person to decide. */
  resolve(doubtful: readonly Stored[]): Promise<void>;
  stop(): Promise<void>;
}

export function createSender({ store, node, channel, log }: SenderOptions): Sender {
  const parallel = channel.limits.parallel ?? PARALLEL;
  const under = new Set<Promise<void>>();
  let taking: Promise<void> | undefined;
  let again = false;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  const take = async (): Promise<void> => {
    do {
      again = false;
      const limit = parallel - under.size;
      if (limit <= 0 || stopped) return;
      const deliveries = await store.outbox.take({ channel: channel.name, node, limit });
      for (const delivery of deliveries) begin(delivery);
      again ||= deliveries.length === limit;
    } while (again);
  };
  const begin = (delivery: Stored): void => {
    const work = deliver({ store, channel, log }, delivery).finally(() => {
      under.delete(work);
      wake();
    });
    under.add(work);
  };
  const wake = (): void => {
    if (stopped) return;
    clearTimeout(timer);
    timer = setTimeout(wake, LOOK_MS).unref();
    if (taking !== undefined) {
      again = true;
      return;
    }
    taking = take()
      .catch((error) => log.error(`The outbox cannot be read: ${reasonOf(error)}`, { channel: channel.name }))
      .finally(() => {
        taking = undefined;
        if (again) wake();
      });
  };
  return {
    wake,
    async resolve(doubtful) {
      for (const delivery of doubtful) {
        const outcome = await resolution(channel, delivery);
        if (outcome !== undefined) await store.outbox.settle(delivery.id, outcome);
      }
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await taking;
      await Promise.race([Promise.all(under), sleep(STOP_MS, undefined, { ref: false })]);
    },
  };
}

/** Hands one delivery to the channel and keeps what became of it. Never rejects. */
async function deliver(
  { store, channel, log }: Pick<SenderOptions, 'store' | 'channel' | 'log'>,
  delivery: Stored,
): Promise<void> {
  const outcome = await attempt(channel, delivery);
  if (outcome.state !== 'sent') {
    const fields = {
      channel: channel.name,
      delivery: delivery.id,
      attempt: delivery.attempts,
      state: outcome.state,
    };
    log.warn(`Something was not delivered: ${outcome.problem}`, fields);
  }
  try {
    await store.outbox.settle(delivery.id, outcome);
  } catch (error) {
    // It stays in the state `sending`, and is unknown after the next start: that is the truth.
    log.error(`What became of a delivery was not kept: ${reasonOf(error)}`, { delivery: delivery.id });
  }
}

async function attempt(channel: Channel, delivery: Stored): Promise<DeliveryOutcome> {
  try {
    const sent = await within(SEND_MS, channel.send(delivery.place, bodyOf(delivery), contextOf(delivery)));
    return { state: 'sent', ...(sent.platformId === undefined ? {} : { platformId: sent.platformId }) };
  } catch (error) {
    return outcomeOf(error, delivery.attempts);
  }
}

/** Only what certainly was not sent is sent again. */
function outcomeOf(error: unknown, attempts: number): DeliveryOutcome {
  const problem = reasonOf(error);
  if (!(error instanceof SendError) || error.problem === 'unknown') return { state: 'unknown', problem };
  if (error.problem === 'never') return { state: 'failed', problem };
  return { state: 'pending', afterMs: error.afterMs ?? retryDelay(attempts), problem };
}

async function resolution(channel: Channel, delivery: Stored): Promise<DeliveryOutcome | undefined> {
  try {
    const found = await channel.resolve?.(delivery.place, bodyOf(delivery), contextOf(delivery));
    if (found === 'sent') return { state: 'sent' };
    if (found === 'pending') return { state: 'pending', afterMs: 0, problem: 'It had not arrived.' };
    return undefined;
  } catch {
    return undefined;
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const timer = new AbortController();
  const late = sleep(ms, undefined, { signal: timer.signal, ref: false }).then(() => {
    throw new SendError('unknown', `The channel did not answer within ${ms / 1000} s.`);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    timer.abort();
    late.catch(() => {});
  }
}

function bodyOf(delivery: Stored): Outgoing {
  return delivery.body as unknown as Outgoing;
}

function contextOf({ id, sessionId, attempts }: Stored): SendContext {
  return { id, sessionId, attempt: attempts };
}
