import type { StoredEvent } from '@plugboard/store';

/** Somebody who follows one session as it goes on. */
interface Follower {
  /** Events in the order of their numbers. The same array goes to all followers, so that what is made of it can be shared. */
  onEvents(events: readonly StoredEvent[]): void;
  /** Something about the session has changed that is not an event: its state, its place in the line, its title. */
  onStatus(): void;
}

/**
 * Tells followers what is already in the log. It is a hint, not a record: a follower that sees a gap in the numbers
 * reads the log.
 */
export interface Feed {
  /** Follows a session until the function returned is called. */
  follow(sessionId: string, follower: Follower): () => void;
  /** Hears of every session whose state has changed. */
  watch(listener: (sessionId: string) => void): () => void;
  /** Hears when other agents were configured. */
  watchAgents(listener: () => void): () => void;
  publish(sessionId: string, events: readonly StoredEvent[]): void;
  changed(sessionId: string): void;
  agentsChanged(): void;
  readonly followers: number;
}

interface Session {
  readonly followers: Set<Follower>;
  /** Said since the last round of the event loop. */
  fresh: StoredEvent[];
}

/** No person sees so short a wait, and a turn that is over within it is told of once. */
const CHANGES_MS = 25;

/** Events of one round of the event loop go out together: what costs is the write to each follower, not the event. */
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
    publish(sessionId, events) {
      const session = sessions.get(sessionId);
      if (session === undefined) return;
      for (const event of events) session.fresh.push(event);
      // After everything that this moment brings, and before anything else is waited for.
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
