import { reasonOf } from '@plugboard/protocol';
import type { Delivery as Stored } from '@plugboard/store';
import { type DeliverContext, deliver, settleCutOff } from './deliver.ts';
import { settledWithin } from './within.ts';

const PARALLEL = 8;

export interface SenderOptions extends DeliverContext {
  readonly node: string;
}

/** Empties the outbox of one channel. Nothing in it is one delivery waiting for another, but for those of one place. */
export interface Sender {
  /** The channel is there: finds out about deliveries that were cut off, and begins to send. */
  ready(cutOff: readonly Stored[]): Promise<void>;
  wake(): void;
  /** Sends nothing more; what is under way may end. */
  halt(): void;
  /** Sends what can be sent at once, and nothing after that; does not wait for ever. */
  stop(): Promise<void>;
}

interface State extends SenderOptions {
  phase: 'closed' | 'open' | 'halted';
  readonly under: Set<Promise<void>>;
  /** By place: when its first delivery may be tried again. */
  readonly alarms: Map<string, NodeJS.Timeout>;
  taking: Promise<void> | undefined;
  /** Something may have come in since the outbox was last looked at. */
  again: boolean;
  look: NodeJS.Timeout | undefined;
}

export function createSender(options: SenderOptions): Sender {
  const state: State = {
    ...options,
    phase: 'closed',
    under: new Set(),
    alarms: new Map(),
    taking: undefined,
    again: false,
    look: undefined,
  };
  return {
    ready: (cutOff) => open(state, cutOff),
    wake: () => wake(state),
    halt: () => halt(state),
    async stop() {
      await settledWithin(options.times.stopMs, drained(state));
      halt(state);
    },
  };
}

async function open(state: State, cutOff: readonly Stored[]): Promise<void> {
  const outcomes = await Promise.all(cutOff.map((delivery) => settleCutOff(state, delivery)));
  if (state.phase === 'halted') return;
  state.phase = 'open';
  for (const [index, { place }] of cutOff.entries()) {
    const outcome = outcomes[index];
    if (outcome?.state === 'pending') postpone(state, place, outcome.afterMs);
  }
  wake(state);
}

function wake(state: State): void {
  const { pause, times, log, channel } = state;
  if (state.phase !== 'open') return;
  clearTimeout(state.look);
  const { leftMs } = pause;
  const next = leftMs > 0 ? Math.min(leftMs, times.lookMs) : times.lookMs;
  state.look = setTimeout(wake, next, state).unref();
  if (state.taking !== undefined) {
    state.again = true;
    return;
  }
  state.taking = take(state)
    .catch((error) => log.error(`The outbox cannot be read: ${reasonOf(error)}`, { channel: channel.name }))
    .finally(() => {
      state.taking = undefined;
      if (state.again) wake(state);
    });
}

async function take(state: State): Promise<void> {
  const { store, node, channel, pause, under } = state;
  do {
    state.again = false;
    const limit = (channel.limits.parallel ?? PARALLEL) - under.size;
    if (limit <= 0 || state.phase !== 'open' || pause.leftMs > 0) return;
    const deliveries = await store.outbox.take({ channel: channel.name, node, limit });
    for (const delivery of deliveries) begin(state, delivery);
    state.again ||= deliveries.length === limit;
  } while (state.again);
}

function begin(state: State, delivery: Stored): void {
  const work = deliver(state, delivery).then((outcome) => {
    state.under.delete(work);
    if (outcome?.state === 'pending') postpone(state, delivery.place, outcome.afterMs);
    wake(state);
  });
  state.under.add(work);
}

/** Looks at the outbox again when a place has waited long enough. */
function postpone(state: State, place: string, ms: number): void {
  if (state.phase !== 'open') return;
  clearTimeout(state.alarms.get(place));
  const ring = (): void => {
    state.alarms.delete(place);
    wake(state);
  };
  // The store's clock may be behind by a part of a millisecond.
  state.alarms.set(place, setTimeout(ring, ms + 2).unref());
}

function halt(state: State): void {
  state.phase = 'halted';
  clearTimeout(state.look);
  for (const alarm of state.alarms.values()) clearTimeout(alarm);
  state.alarms.clear();
}

/** Resolves when nothing is under way and nothing is due. */
async function drained(state: State): Promise<void> {
  do {
    await state.taking;
    await Promise.all(state.under);
  } while (state.taking !== undefined || state.under.size > 0);
}
