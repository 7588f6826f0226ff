import type { HostEffect, Probe } from '@plugboard/protocol';

/** Time limit of a probe. After it the agent counts as hung. */
const ANSWER_MS = 5_000;

/** The answer to a probe. */
export type Probed = HostEffect & { readonly type: 'probed' };

interface Waiter {
  readonly probe: Probe;
  readonly settle: (answer: Probed | undefined) => void;
}

/** Matches answers with probes: of each kind, the oldest `expect` gets the next answer. */
export interface Probes {
  /** Waits for the next answer of a kind; undefined after `ANSWER_MS`. */
  expect(probe: Probe): Promise<Probed | undefined>;
  deliver(answer: Probed): void;
  /** The process is gone and will not answer. */
  abandon(): void;
}

export function createProbes(): Probes {
  const waiters: Waiter[] = [];
  const remove = (waiter: Waiter): void => {
    const at = waiters.indexOf(waiter);
    if (at !== -1) waiters.splice(at, 1);
  };
  return {
    expect(probe) {
      return new Promise((resolve) => {
        const timer = setTimeout(() => waiter.settle(undefined), ANSWER_MS);
        const waiter: Waiter = {
          probe,
          settle(answer) {
            clearTimeout(timer);
            remove(waiter);
            resolve(answer);
          },
        };
        waiters.push(waiter);
      });
    },
    deliver(answer) {
      waiters.find(({ probe }) => probe === answer.probe)?.settle(answer);
    },
    abandon() {
      for (const waiter of [...waiters]) waiter.settle(undefined);
    },
  };
}
