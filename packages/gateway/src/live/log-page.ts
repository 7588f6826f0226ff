import type { Store, StoredEvent } from '@plugboard/store';

/** Readers that wait for their round of the event loop, in order of arrival. */
const waiting: (() => void)[] = [];

/**
 * Reads a page of a log in a round of the event loop of its own. SQLite answers synchronously, so that `log.read` settles in a
 * microtask: a caller that reads page after page would let no request, timer or lease renewal through until the end of the log.
 * All callers share one queue, because the pages of 150 readers in one round hold the loop up as much as 150 pages of one reader.
 */
export async function readLogPage(
  store: Pick<Store, 'log'>,
  sessionId: string,
  page: Parameters<Store['log']['read']>[1],
): Promise<readonly StoredEvent[]> {
  await waitForRound();
  return await store.log.read(sessionId, page);
}

function waitForRound(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(admitNext);
  });
}

/** `setImmediate` called from an immediate runs in the next round, after the sockets and timers of this one. */
function admitNext(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(admitNext);
}
