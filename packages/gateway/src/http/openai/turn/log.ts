import type { StoredEvent } from '@plugboard/store';
import type { Gateway } from '../../../gateway.ts';

const PAGE = 500;
/** More than this that nobody has taken is let go: it is in the log. */
const MOST_FRESH = 10_000;
/** What the feed did not tell is found by looking, so often. */
const POLL_MS = 5_000;

/** How far the log has been read, and what has come since. */
interface Reader {
  last: number;
  fresh: StoredEvent[];
  /** The log holds something that did not come by itself, or may. */
  behind: boolean;
  wake: PromiseWithResolvers<void>;
}

/**
 * The log of a session from after a number on, as it grows, until the signal. It follows first and reads then, so that
 * nothing falls between. Comes back without events, too, when something else about the session has changed.
 */
export async function* followLog(
  { feed, store }: Pick<Gateway, 'feed' | 'store'>,
  sessionId: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<readonly StoredEvent[], void> {
  const reader: Reader = { last: after, fresh: [], behind: true, wake: Promise.withResolvers() };
  const rouse = (): void => reader.wake.resolve();
  const unfollow = feed.follow(sessionId, { onEvents: (events) => receive(reader, events), onStatus: rouse });
  const poll = setInterval(() => look(reader), POLL_MS);
  signal.addEventListener('abort', rouse);
  try {
    while (!signal.aborted) {
      reader.wake = Promise.withResolvers();
      const live = takeFresh(reader);
      const batch = live ?? (await store.log.read(sessionId, { after: reader.last, limit: PAGE }));
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

function receive(reader: Reader, events: readonly StoredEvent[]): void {
  if (reader.fresh.length + events.length > MOST_FRESH) look(reader);
  else for (const event of events) reader.fresh.push(event);
  reader.wake.resolve();
}

/** Has the log read with the next round. */
function look(reader: Reader): void {
  reader.fresh = [];
  reader.behind = true;
  reader.wake.resolve();
}

/** What came by itself, where it joins up with what was read before; undefined when the log has to be read. */
function takeFresh(reader: Reader): readonly StoredEvent[] | undefined {
  const { last, behind } = reader;
  const fresh = reader.fresh.filter(({ number }) => number > last);
  reader.fresh = [];
  reader.behind = false;
  const joinsUp = fresh.every(({ number }, at) => number === last + 1 + at);
  return behind || !joinsUp ? undefined : fresh;
}
