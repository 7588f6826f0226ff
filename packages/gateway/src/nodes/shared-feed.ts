import { reasonOf } from '@plugboard/protocol';
import type { Store } from '@plugboard/store';
import type { Feed } from '../live/feed.ts';
import { readLogPage } from '../live/log-page.ts';
import type { Logger } from '../log.ts';
import type { NewsSender, NodeNews } from './node-news.ts';

/** Wraps `feed` so that `publish` and `changed` also send `NodeNews` to the other gateways. */
export function shareFeed(feed: Feed, news: NewsSender): Feed {
  return {
    follow: feed.follow,
    watch: feed.watch,
    watchAgents: feed.watchAgents,
    agentsChanged: feed.agentsChanged,
    isFollowed: feed.isFollowed,
    publish(sessionId, events) {
      feed.publish(sessionId, events);
      const [first] = events;
      const last = events.at(-1);
      if (first !== undefined && last !== undefined) news.events(sessionId, first.number, last.number);
    },
    changed(sessionId) {
      feed.changed(sessionId);
      news.changed(sessionId);
    },
    get followers() {
      return feed.followers;
    },
  };
}

/** Events of one read. */
const PAGE = 512;

/**
 * Publishes the events of other nodes to the followers here. They are read from the log once for all followers of a session;
 * a follower that has missed some finds the gap in their numbers.
 */
export function publishRemote(
  feed: Feed,
  { events = {}, changed = [] }: NodeNews,
  { store, log }: { readonly store: Pick<Store, 'log'>; readonly log: Logger },
): void {
  for (const [sessionId, [first, last]] of Object.entries(events)) {
    feed.changed(sessionId);
    if (!feed.isFollowed(sessionId)) continue;
    publishRange(feed, store, sessionId, first, last).catch((error: unknown) =>
      log.warn(`Events of another gateway were not read: ${reasonOf(error)}`, {
        code: 'remote-events-not-read',
        session: sessionId,
      }),
    );
  }
  for (const sessionId of changed) feed.changed(sessionId);
}

async function publishRange(
  feed: Feed,
  store: Pick<Store, 'log'>,
  sessionId: string,
  first: number,
  last: number,
): Promise<void> {
  for (let after = first - 1; after < last; ) {
    const page = await readLogPage(store, sessionId, { after, limit: Math.min(PAGE, last - after) });
    const end = page.at(-1)?.number;
    if (end === undefined) return;
    feed.publish(sessionId, page);
    after = end;
  }
}
