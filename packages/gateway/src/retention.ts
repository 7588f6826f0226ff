import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { reasonOf } from '@plugboard/protocol';
import { type Store, StoreError } from '@plugboard/store';
import type { Agents } from './agents/agents.ts';
import type { Logger } from './log.ts';
import type { Recordings } from './record/recordings.ts';

const DAY_MS = 86_400_000;

/** Sessions forgotten in one write: more would hold up everybody else. */
const TOGETHER = 50;

export interface ForgettingOptions {
  readonly store: Store;
  /** Where the files of sessions lie. */
  readonly media: string;
  readonly recordings: Recordings;
  readonly agents: Agents;
  readonly log: Logger;
  /** Sessions in which nothing has happened for so long are forgotten; 0 keeps all. */
  readonly days: () => number;
}

/**
 * Forgets what is older than the operator wants to keep; resolves to how many sessions there were. The store is first, and
 * says what is to be kept elsewhere: whatever a crash leaves behind is found by `tidy` at the next start.
 */
export async function forgetOld(options: ForgettingOptions): Promise<number> {
  const { store, media, log } = options;
  const days = options.days();
  if (days <= 0) return 0;
  let forgotten = 0;
  try {
    for (;;) {
      const { sessions, files } = await store.sessions.forget({ idleMs: days * DAY_MS, limit: TOGETHER });
      await Promise.all(files.map((file) => rm(join(media, file), { force: true })));
      forgotten += sessions;
      if (sessions < TOGETHER) break;
    }
  } catch (error) {
    tell(log, 'Old sessions were not forgotten', error);
  }
  if (forgotten > 0) {
    await tidy(options);
    log.info(`${forgotten} sessions older than ${days} days were forgotten.`);
  }
  return forgotten;
}

/** Takes away what is left of sessions that the store does not know any more: what was recorded, and who answers there. */
export async function tidy({ store, recordings, agents, log }: ForgettingOptions): Promise<void> {
  try {
    await recordings.forget(async (turnId) => (await store.turns.get(turnId)) !== undefined);
    for (const id of agents.sessions)
      if ((await store.sessions.get(id)) === undefined) await agents.dismiss(id);
  } catch (error) {
    tell(log, 'What is left of forgotten sessions was not removed', error);
  }
}

/** A gateway that is being stopped goes on with it at its next start. */
function tell(log: Logger, what: string, error: unknown): void {
  if (!(error instanceof StoreError && error.code === 'closed')) log.error(`${what}: ${reasonOf(error)}`);
}
