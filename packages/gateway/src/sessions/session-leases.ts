import { reasonOf } from '@plugboard/protocol';
import type { Holder, Lease, Store } from '@plugboard/store';
import type { Logger } from '../log.ts';

/**
 * Leases of sessions without a running turn. This gateway keeps them because it has an agent process for the session: the
 * next message must meet that process, and no other gateway claims it.
 */
export interface SessionLeases {
  /** Keeps the lease of a turn that has ended. */
  keep(lease: Lease): void;
  /** Takes the lease of a session for a process that is to be started. False when another gateway has the session. */
  take(sessionId: string, holder: Holder): Promise<boolean>;
  /** Called when the session is claimed again, under a new fence. */
  forget(sessionId: string): void;
  /** Gives the lease back, because the process has ended. */
  release(sessionId: string): void;
  readonly all: readonly Lease[];
  /** Gives every lease back; settles when the store has written it. */
  close(): Promise<void>;
}

export function createSessionLeases({ turns }: Pick<Store, 'turns'>, log: Logger): SessionLeases {
  const kept = new Map<string, Lease>();
  const pending = new Set<Promise<void>>();
  const release = (sessionId: string): void => {
    const lease = kept.get(sessionId);
    if (lease === undefined) return;
    kept.delete(sessionId);
    const written = turns
      .release(lease)
      .catch((error) =>
        log.warn(`The lease of a session ends by its time alone: ${reasonOf(error)}`, {
          code: 'lease-not-released',
          session: sessionId,
        }),
      )
      .finally(() => pending.delete(written));
    pending.add(written);
  };
  return {
    async take(sessionId, holder) {
      const lease = await turns.lease(sessionId, holder);
      if (lease !== undefined) kept.set(sessionId, lease);
      return lease !== undefined;
    },
    keep: (lease) => void kept.set(lease.session.id, lease),
    forget: (sessionId) => void kept.delete(sessionId),
    release,
    get all() {
      return [...kept.values()];
    },
    async close() {
      for (const sessionId of [...kept.keys()]) release(sessionId);
      await Promise.all(pending);
    },
  };
}
