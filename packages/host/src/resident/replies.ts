import type { ControlReply } from '@plugboard/protocol';

/** How long an answer to a control may take before the agent counts as hung. */
const ANSWER_MS = 5_000;

interface Waiter {
  readonly type: ControlReply['type'];
  readonly settle: (reply: ControlReply | undefined) => void;
}

/** Matches answers to controls with those who asked: first asked, first answered. */
export interface Replies {
  /** Waits for the next answer of a kind; undefined when none comes in time. */
  expect(type: ControlReply['type']): Promise<ControlReply | undefined>;
  /** Hands an answer to the first who waits for one of its kind. */
  deliver(reply: ControlReply): void;
  /** The process is gone: nobody will answer. */
  abandon(): void;
}

export function createReplies(): Replies {
  const waiters: Waiter[] = [];
  const remove = (waiter: Waiter): void => {
    const at = waiters.indexOf(waiter);
    if (at !== -1) waiters.splice(at, 1);
  };
  return {
    expect(type) {
      return new Promise((resolve) => {
        const timer = setTimeout(() => waiter.settle(undefined), ANSWER_MS);
        const waiter: Waiter = {
          type,
          settle(reply) {
            clearTimeout(timer);
            remove(waiter);
            resolve(reply);
          },
        };
        waiters.push(waiter);
      });
    },
    deliver(reply) {
      waiters.find(({ type }) => type === reply.type)?.settle(reply);
    },
    abandon() {
      for (const waiter of [...waiters]) waiter.settle(undefined);
    },
  };
}
