import type { StoredEvent } from '@plugboard/store';
import type { Gateway } from '../../../gateway.ts';
import { readLogPage } from '../../../live/log-page.ts';

const PAGE = 500;
/** Most events held for a slow consumer. Beyond it they are dropped and read from the log again. */
const MOST_FRESH = 10_000;
/** Interval at which the log is read even if the feed is silent: another process may write to it. */
const POLL_MS = 5_000;

/** State of one consumer of a log. */
interface Reader {
  last: number;
  fresh: StoredEvent[];
  /** Whether the log may hold events that the feed did not deliver. */
  behind: boolean;
  wake: PromiseWithResolvers<void>;
}

/**
 * Yields the events of a session after `after`, until `signal`. It subscribes before it reads, so that no event is
 * missed. Yields an empty batch when only the status of the session has changed.
 */
export async function* followLog(
  { feed, store }: Pick<Gateway, 'feed' | 'store'>,
  sessionId: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<readonly StoredEvent[], void> {
  const reader: Reader = { last: after, fresh: [], behind: true, wake: Promise.withResolvers() };
  const rouse = (): void => reader.wake.resolve();
  const unfollow = feed.follow(sessionId, {
    onEvents: (events) => receiveEvents(reader, events),
    onStatus: rouse,
  });
  const poll = setInterval(() => readLogNext(reader), POLL_MS);
  signal.addEventListener('abort', rouse);
  try {
    while (!signal.aborted) {
      reader.wake = Promise.withResolvers();
      const live = takeFresh(reader);
      const batch = live ?? (await readLogPage(store, sessionId, { after: reader.last, limit: PAGE }));
      reader.last = batch.at(-1)?.number ?? reader.last;
      reader.behind ||= live === undefined && batch.length === PAGE;
      yield batch;
      if (!reader.behind && reader.fresh.length === 0) await reader.wake.promise;
    }
  } finally {
    unfollow();
    clearInterval(poll);
    signal.removeEventListener('abort', rouse);
  }
}

function receiveEvents(reader: Reader, events: readonly StoredEvent[]): void {
  if (reader.fresh.length + events.length > MOST_FRESH) readLogNext(reader);
  else for (const event of events) reader.fresh.push(event);
  reader.wake.resolve();
}

/** Makes the next round read the log. */
function readLogNext(reader: Reader): void {
  reader.fresh = [];
  reader.behind = true;
  reader.wake.resolve();
}

/** Events from the feed, if their numbers continue from `last`; undefined when the log must be read. */
function takeFresh(reader: Reader): readonly StoredEvent[] | undefined {
  const { last, behind } = reader;
  const fresh = reader.fresh.filter(({ number }) => number > last);
  reader.fresh = [];
  reader.behind = false;
  const joinsUp = fresh.every(({ number }, at) => number === last + 1 + at);
  return behind || !joinsUp ? undefined : fresh;
}
