import type { Event, ResidentControls, Run, Turn } from '@plugboard/host';

/** Hears what agents do without being asked. */
export interface UnaskedListener {
  /** A turn that nobody asked for; its events must be read, or the agent waits. */
  onTurn(sessionId: string, run: Run): void;
  /** What it was given for a running turn and has not read; its process is gone. */
  onUnread(given: Turn): void;
  /** Something outside any turn. */
  onEvent(sessionId: string, event: Event): void;
}

/**
 * Listens for as long as the agent is open; `sessionId` tells where it was last talked to. `saw` gets every event of it,
 * whoever reads the turn.
 */
export function createUnaskedListener(
  resident: ResidentControls,
  sessionId: () => string,
  listener: UnaskedListener,
  saw: (event: Event) => void,
): void {
  resident.onIdleEvent((event) => {
    saw(event);
    listener.onEvent(sessionId(), event);
  });
  resident.onUnread((given) => listener.onUnread(given));
  const listen = async (): Promise<void> => {
    for await (const run of resident.unasked()) listener.onTurn(sessionId(), seen(run, saw));
  };
  void listen();
}

/** The same turn, of which somebody sees every event that is read. */
function seen(run: Run, saw: (event: Event) => void): Run {
  return {
    get result() {
      return run.result;
    },
    async *[Symbol.asyncIterator]() {
      for await (const event of run) {
        saw(event);
        yield event;
      }
    },
    batches: () => seenBatches(run.batches(), saw),
  };
}

/** Not a generator: one that is left before it was begun would not let go of what it reads. */
function seenBatches(
  batches: AsyncIterableIterator<readonly Event[]>,
  saw: (event: Event) => void,
): AsyncIterableIterator<readonly Event[]> {
  return {
    async next() {
      const batch = await batches.next();
      if (batch.done !== true) for (const event of batch.value) saw(event);
      return batch;
    },
    return: async () => (await batches.return?.()) ?? { done: true, value: undefined },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
