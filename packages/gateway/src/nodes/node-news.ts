import type { JsonValue } from '@plugboard/protocol';
import type { Nodes } from '@plugboard/store';

/** A notification from one gateway to the others on its store. Each of them also polls, so that a lost one only costs time. */
export interface NodeNews {
  /** Numbers of new events by session: the first and the last. */
  readonly events?: Readonly<Record<string, readonly [first: number, last: number]>>;
  /** Ids of sessions that have changed without an event. */
  readonly changed?: readonly string[];
  /** Ids of sessions in which a message waits that this node does not answer itself. */
  readonly waiting?: readonly string[];
  /** Names of channels with new deliveries. */
  readonly deliveries?: readonly string[];
  /** Whether sessions with background work were given up. */
  readonly work?: boolean;
}

/** Collects news, and sends them together. */
export interface NewsSender {
  events(sessionId: string, first: number, last: number): void;
  changed(sessionId: string): void;
  waiting(sessionId: string): void;
  deliveries(channel: string): void;
  work(): void;
}

/** How long news of events are collected: a turn writes many, and each notification costs every node a wake-up. */
const COLLECT_MS = 20;

/** Sessions of one notification, which has at most 8,000 bytes: an id takes up to 60 with its numbers. */
const MOST = 100;

export function createNewsSender(nodes: Pick<Nodes, 'peers' | 'publish'>): NewsSender {
  const events = new Map<string, [first: number, last: number]>();
  const changed = new Set<string>();
  const waiting = new Set<string>();
  const deliveries = new Set<string>();
  let work = false;
  let timer: NodeJS.Timeout | undefined;
  let isUrgent = false;

  const send = (): void => {
    clearTimeout(timer);
    timer = undefined;
    isUrgent = false;
    while (events.size > 0) publish({ events: Object.fromEntries(takeSome(events)) });
    while (changed.size > 0) publish({ changed: takeSome(changed) });
    while (waiting.size > 0) publish({ waiting: takeSome(waiting) });
    while (deliveries.size > 0) publish({ deliveries: takeSome(deliveries) });
    if (work) publish({ work });
    work = false;
  };
  const publish = (news: NodeNews): void => nodes.publish(news as JsonValue);
  const sendLater = (): void => {
    timer ??= setTimeout(send, COLLECT_MS).unref();
  };
  const sendSoon = (): void => {
    if (isUrgent) return;
    isUrgent = true;
    setImmediate(send);
  };
  const isAlone = (): boolean => nodes.peers.length === 0;
  return {
    events(sessionId, first, last) {
      if (isAlone()) return;
      const known = events.get(sessionId);
      events.set(sessionId, [Math.min(first, known?.[0] ?? first), last]);
      sendLater();
    },
    changed(sessionId) {
      if (isAlone()) return;
      changed.add(sessionId);
      sendLater();
    },
    waiting(sessionId) {
      if (isAlone()) return;
      waiting.add(sessionId);
      sendSoon();
    },
    deliveries(channel) {
      if (isAlone()) return;
      deliveries.add(channel);
      sendSoon();
    },
    work() {
      if (isAlone()) return;
      work = true;
      sendSoon();
    },
  };
}

/** Removes up to `MOST` entries, and returns them. */
function takeSome<T>(collected: Set<T>): T[];
function takeSome<K, V>(collected: Map<K, V>): [K, V][];
function takeSome<T>(collected: Set<T> | Map<T, unknown>): unknown[] {
  const some = [...collected].slice(0, MOST);
  if (collected instanceof Map) for (const [key] of some as [T, unknown][]) collected.delete(key);
  else for (const one of some) collected.delete(one as T);
  return some;
}
