import type { StoredEvent } from '@plugboard/store';

/** A subscriber of one session. */
interface Follower {
  /** Events in the order of `number`. All followers get the same array, so that encoded forms can be cached by it. */
  onEvents(events: readonly StoredEvent[]): void;
  /** The session has changed without an event: its state, its position in the line, its title. */
  onStatus(): void;
}

/** Publishes committed events. Delivery is best-effort: a follower that sees a gap in the numbers reads the log. */
export interface Feed {
  /** Subscribes to a session. The returned function unsubscribes. */
  follow(sessionId: string, follower: Follower): () => void;
  /** Subscribes to changes of all sessions. */
  watch(listener: (sessionId: string) => void): () => void;
  /** Subscribes to changes of the configured agents. */
  watchAgents(listener: () => void): () => void;
  /** Whether a session has a follower here. */
  isFollowed(sessionId: string): boolean;
  publish(sessionId: string, events: readonly StoredEvent[]): void;
  changed(sessionId: string): void;
  agentsChanged(): void;
  readonly followers: number;
}

interface Session {
  readonly followers: Set<Follower>;
  /** Events since the last flush. */
  fresh: StoredEvent[];
}

/** Interval at which changes are merged. A turn that is shorter causes one notification. */
const CHANGES_MS = 25;

/** Events of one tick are published together: the cost is one write per follower, not per event. */
export function createFeed(): Feed {
  const sessions = new Map<string, Session>();
  const watchers = new Set<(sessionId: string) => void>();
  const agentWatchers = new Set<() => void>();
  const due = new Set<Session>();
  const changes = new Set<string>();
  let followers = 0;

  const flush = (): void => {
    const now = [...due];
    due.clear();
    for (const session of now) {
      const events = session.fresh;
      session.fresh = [];
      for (const follower of session.followers) follower.onEvents(events);
    }
  };
  const tellChanges = (): void => {
    const now = [...changes];
    changes.clear();
    for (const sessionId of now) {
      for (const follower of sessions.get(sessionId)?.followers ?? []) follower.onStatus();
      for (const watcher of watchers) watcher(sessionId);
    }
  };
  const follow = (sessionId: string, follower: Follower): (() => void) => {
    const session = sessions.get(sessionId) ?? { followers: new Set(), fresh: [] };
    sessions.set(sessionId, session);
    session.followers.add(follower);
    followers += 1;
    return () => {
      if (!session.followers.delete(follower)) return;
      followers -= 1;
      if (session.followers.size === 0 && sessions.get(sessionId) === session) sessions.delete(sessionId);
    };
  };

  return {
    follow,
    watch(listener) {
      watchers.add(listener);
      return () => watchers.delete(listener);
    },
    watchAgents(listener) {
      agentWatchers.add(listener);
      return () => agentWatchers.delete(listener);
    },
    agentsChanged() {
      for (const watcher of agentWatchers) watcher();
    },
    isFollowed: (sessionId) => sessions.has(sessionId),
    publish(sessionId, events) {
      const session = sessions.get(sessionId);
      if (session === undefined) return;
      for (const event of events) session.fresh.push(event);
      // `nextTick` runs after the current operation and before any I/O.
      if (due.size === 0) process.nextTick(flush);
      due.add(session);
    },
    changed(sessionId) {
      if (changes.size === 0) setTimeout(tellChanges, CHANGES_MS).unref();
      changes.add(sessionId);
    },
    get followers() {
      return followers;
    },
  };
}
