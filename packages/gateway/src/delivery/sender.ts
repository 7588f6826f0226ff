import { reasonOf } from '@plugboard/protocol';
import type { Delivery as Stored } from '@plugboard/store';
import { type DeliverContext, sendDelivery, settleCutOff } from './deliver.ts';
import { settledWithin } from './timeout.ts';
import { LOOK_MS, STOP_MS } from './times.ts';

const PARALLEL = 8;

export interface SenderOptions extends DeliverContext {
  readonly node: string;
}

/** Sends the outbox of one channel. Only deliveries of the same place wait for each other. */
export interface Sender {
  /** The channel has started: settles deliveries that were cut off, then sends. */
  ready(cutOff: readonly Stored[]): Promise<void>;
  wake(): void;
  /** Starts no further delivery; running ones may end. */
  halt(): void;
  /** Settles when the deliveries that are being sent have their outcome. */
  settled(): Promise<void>;
  /** Sends all that is due, then stops; waits at most `stopMs`. */
  stop(): Promise<void>;
}

interface State extends SenderOptions {
  phase: 'closed' | 'open' | 'halted';
  readonly under: Set<Promise<void>>;
  /** Cancel functions of timers by place, until the first delivery of the place may be retried. */
  readonly alarms: Map<string, () => void>;
  taking: Promise<void> | undefined;
  /** Whether a delivery may have been added since the last read. */
  again: boolean;
  cancelLook: (() => void) | undefined;
}

export function createSender(options: SenderOptions): Sender {
  const state: State = {
    ...options,
    phase: 'closed',
    under: new Set(),
    alarms: new Map(),
    taking: undefined,
    again: false,
    cancelLook: undefined,
  };
  return {
    ready: (cutOff) => openSender(state, cutOff),
    wake: () => wakeSender(state),
    halt: () => haltSender(state),
    settled: () => settledWithin(options.clock, STOP_MS, untilDrained(state)),
    async stop() {
      await settledWithin(options.clock, STOP_MS, untilDrained(state));
      haltSender(state);
    },
  };
}

async function openSender(state: State, cutOff: readonly Stored[]): Promise<void> {
  const outcomes = await Promise.all(cutOff.map((delivery) => settleCutOff(state, delivery)));
  if (state.phase === 'halted') return;
  state.phase = 'open';
  for (const [index, { place }] of cutOff.entries()) {
    const outcome = outcomes[index];
    if (outcome?.state === 'pending') postponePlace(state, place, outcome.afterMs);
  }
  wakeSender(state);
}

function wakeSender(state: State): void {
  const { pause, clock, log, channel } = state;
  if (state.phase !== 'open') return;
  state.cancelLook?.();
  const { leftMs } = pause;
  state.cancelLook = clock.after(leftMs > 0 ? Math.min(leftMs, LOOK_MS) : LOOK_MS, () => wakeSender(state));
  if (state.taking !== undefined) {
    state.again = true;
    return;
  }
  state.taking = takeDeliveries(state)
    .catch((error) =>
      log.error(`The outbox cannot be read: ${reasonOf(error)}`, {
        code: 'outbox-unreadable',
        channel: channel.name,
      }),
    )
    .finally(() => {
      state.taking = undefined;
      if (state.again) wakeSender(state);
    });
}

async function takeDeliveries(state: State): Promise<void> {
  const { store, node, channel, pause, under } = state;
  do {
    state.again = false;
    const limit = (channel.limits.parallel ?? PARALLEL) - under.size;
    if (limit <= 0 || state.phase !== 'open' || pause.leftMs > 0) return;
    const deliveries = await store.outbox.take({ channel: channel.name, node, limit });
    for (const delivery of deliveries) beginDelivery(state, delivery);
    state.again ||= deliveries.length === limit;
  } while (state.again);
}

function beginDelivery(state: State, delivery: Stored): void {
  const work = sendDelivery(state, delivery).then((outcome) => {
    state.under.delete(work);
    if (outcome?.state === 'pending') postponePlace(state, delivery.place, outcome.afterMs);
    wakeSender(state);
  });
  state.under.add(work);
}

/** Wakes the sender after `ms`, for one place. */
function postponePlace(state: State, place: string, ms: number): void {
  if (state.phase !== 'open') return;
  state.alarms.get(place)?.();
  const ring = (): void => {
    state.alarms.delete(place);
    wakeSender(state);
  };
  // The clock of the store may be less than 1 ms behind.
  state.alarms.set(place, state.clock.after(ms + 2, ring));
}

function haltSender(state: State): void {
  state.phase = 'halted';
  state.cancelLook?.();
  for (const cancel of state.alarms.values()) cancel();
  state.alarms.clear();
}

/** Resolves when no delivery is in progress or due. */
async function untilDrained(state: State): Promise<void> {
  do {
    await state.taking;
    await Promise.all(state.under);
  } while (state.taking !== undefined || state.under.size > 0);
}
