import { reasonOf } from '@plugboard/protocol';
import { type Store, StoreError } from '@plugboard/store';
import type { Agents } from './agents/agents.ts';
import type { Logger } from './log.ts';
import type { MediaStore } from './media/media-store.ts';
import type { Recordings } from './record/recordings.ts';

const DAY_MS = 86_400_000;

/** Sessions per transaction: a larger batch would block other writes. */
const TOGETHER = 50;

export interface ForgettingOptions {
  readonly store: Store;
  readonly media: Pick<MediaStore, 'remove' | 'clean'>;
  readonly recordings: Recordings;
  readonly agents: Agents;
  readonly log: Logger;
  /** Age of the last activity after which a session is deleted; 0 keeps all. */
  readonly days: () => number;
}

/**
 * Deletes sessions older than `days`; resolves to their number. The store is first: after a crash, `tidy` removes the
 * rest at the next start.
 */
export async function forgetOld(options: ForgettingOptions): Promise<number> {
  const { store, media, log } = options;
  await media.clean();
  const days = options.days();
  if (days <= 0) return 0;
  let forgotten = 0;
  try {
    for (;;) {
      const { sessions, files } = await store.sessions.forget({ idleMs: days * DAY_MS, limit: TOGETHER });
      await media.remove(files);
      forgotten += sessions;
      if (sessions < TOGETHER) break;
    }
  } catch (error) {
    if (!isStopping(error))
      log.error(`Old sessions were not forgotten: ${reasonOf(error)}`, { code: 'sessions-not-forgotten' });
  }
  if (forgotten > 0) {
    await tidy(options);
    log.info(`${forgotten} sessions older than ${days} days were forgotten.`, { code: 'sessions-forgotten' });
  }
  return forgotten;
}

/** Deletes recordings and agents of sessions that the store does not have any more. */
export async function tidy({ store, recordings, agents, log }: ForgettingOptions): Promise<void> {
  try {
    await recordings.forget(async (turnId) => (await store.turns.get(turnId)) !== undefined);
    for (const id of agents.sessions)
      if ((await store.sessions.get(id)) === undefined) await agents.dismiss(id);
  } catch (error) {
    if (!isStopping(error))
      log.error(`Recordings and agents of forgotten sessions were not removed: ${reasonOf(error)}`, {
        code: 'leftovers-not-removed',
      });
  }
}

/** A `closed` store means that the gateway stops; the next start continues. */
function isStopping(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'closed';
}
