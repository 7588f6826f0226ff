import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Store } from '@plugboard/store';
import { type Logger, reasonOf } from './log.ts';

const DAY_MS = 86_400_000;

/** Sessions forgotten in one write: more would hold up everybody else. */
const TOGETHER = 50;

/** Forgets what is older than the operator wants to keep; resolves to how many sessions there were. */
export async function forgetOld(store: Store, days: number, media: string, log: Logger): Promise<number> {
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
    log.error(`Old sessions were not forgotten: ${reasonOf(error)}`);
  }
  if (forgotten > 0) log.info(`${forgotten} sessions older than ${days} days were forgotten.`);
  return forgotten;
}
