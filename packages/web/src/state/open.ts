import { backoff } from '../api/backoff.ts';
import { follow, type Link } from '../api/follow.ts';
import { gateway } from '../api/gateway.ts';
import { isLoggedOut, isPassing, sentence } from '../api/request.ts';
import type { EventView, SessionView } from '../api/shapes.ts';
import { untilShown, waitForChance } from '../api/wait.ts';
import { logOut, tell } from './app.ts';
import { type Conversation, emptyConversation, extend, prepend } from './conversation.ts';
import { confirm } from './delivery.ts';
import { noteSession } from './sessions.ts';
import { createStore, patch, type Store } from './store.ts';

const PAGE = 400;
/** Events are shown together at most this often; the eye cannot follow more, and a fast agent sends thousands. */
const DRAW_EVERY = 40;

/** The session that is on the screen. */
interface Opened {
  readonly session: SessionView | null;
  readonly conversation: Conversation;
  readonly loaded: boolean;
  readonly loadingOlder: boolean;
  readonly problem: string | null;
  readonly link: Link;
}

export interface OpenSession {
  readonly id: string;
  readonly store: Store<Opened>;
  loadOlder(): Promise<void>;
  stop(): Promise<void>;
  close(): void;
}

/** Loads the newest page of a session and follows it; everything ends with `close`. */
export function openSession(id: string): OpenSession {
  const closing = new AbortController();
  const { signal } = closing;
  const store = createStore<Opened>({
    session: null,
    conversation: emptyConversation(),
    loaded: false,
    loadingOlder: false,
    problem: null,
    link: 'connecting',
  });
  run(id, store, signal);
  return {
    id,
    store,
    loadOlder: () => loadOlder(id, store, signal),
    stop: () => stop(id),
    close: () => closing.abort(),
  };
}

/** From the beginning again whenever the gateway says that our place in the log is none of its own. */
async function run(id: string, store: Store<Opened>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await load(id, store, signal))) {
    const resync = new AbortController();
    await followEvents(id, store, AbortSignal.any([signal, resync.signal]), () => resync.abort());
    if (!resync.signal.aborted) return;
  }
}

async function followEvents(
  id: string,
  store: Store<Opened>,
  signal: AbortSignal,
  onResync: () => void,
): Promise<void> {
  const gathered: EventView[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = (): void => {
    timer = undefined;
    if (!signal.aborted) takeEvents(id, store, gathered.splice(0));
  };
  await follow({
    signal,
    address: () => gateway.eventStream(id, gathered.at(-1)?.number ?? store.get().conversation.last),
    onLink: (link) => patch(store, { link }),
    onLoggedOut: logOut,
    onMessage({ event, data }) {
      if (event === 'event') {
        gathered.push(JSON.parse(data) as EventView);
        timer ??= setTimeout(flush, DRAW_EVERY);
      } else if (event === 'status') takeStatus(store, JSON.parse(data) as SessionView);
      else if (event === 'resync') onResync();
    },
  });
  clearTimeout(timer);
}

function takeEvents(id: string, store: Store<Opened>, views: readonly EventView[]): void {
  store.update((now) => ({ ...now, conversation: extend(now.conversation, views) }));
  confirm(id, views, true);
}

function takeStatus(store: Store<Opened>, session: SessionView): void {
  patch(store, { session });
  noteSession(session);
}

/** Tries until it works or cannot work. */
async function load(id: string, store: Store<Opened>, signal: AbortSignal): Promise<boolean> {
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    try {
      const session = await gateway.session(id, signal);
      const after = Math.max(0, session.lastEvent - PAGE);
      const { events } = await gateway.events(id, after, 1000, signal);
      const conversation = extend(emptyConversation(after), events);
      patch(store, { session, conversation, loaded: true, problem: null });
      confirm(id, events, false);
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      if (isLoggedOut(error)) logOut();
      if (!isPassing(error)) {
        patch(store, { problem: sentence(error) });
        return false;
      }
      patch(store, { link: 'lost' });
      await waitForChance(backoff(attempt), signal);
      await untilShown(signal);
    }
  }
  return false;
}

/** Loads the page before the oldest event; where numbers are sparse it looks further and further back. */
async function loadOlder(id: string, store: Store<Opened>, signal: AbortSignal): Promise<void> {
  const { loadingOlder, conversation } = store.get();
  if (loadingOlder || conversation.first <= 1) return;
  patch(store, { loadingOlder: true });
  try {
    let after = conversation.first - 1;
    let found: EventView[] = [];
    for (let step = PAGE; found.length === 0 && after > 0; step *= 4) {
      after = Math.max(0, after - step);
      found = await eventsBetween(id, after, conversation.first, signal);
    }
    store.update((now) => ({ ...now, conversation: prepend(now.conversation, found, after) }));
  } catch (error) {
    if (!signal.aborted && !isPassing(error)) tell(sentence(error));
  }
  if (!signal.aborted) patch(store, { loadingOlder: false });
}

/** All events between two numbers, both excluded. */
async function eventsBetween(
  id: string,
  after: number,
  before: number,
  signal: AbortSignal,
): Promise<EventView[]> {
  const found: EventView[] = [];
  for (let from = after; from < before - 1; ) {
    const { events } = await gateway.events(id, from, Math.min(before - 1 - from, 1000), signal);
    found.push(...events.filter(({ number }) => number < before));
    const last = events.at(-1)?.number;
    if (last === undefined || last >= before - 1) break;
    from = last;
  }
  return found;
}

async function stop(id: string): Promise<void> {
  try {
    await gateway.stop(id);
  } catch (error) {
    if (isLoggedOut(error)) logOut();
    else tell(`Not stopped. ${sentence(error)}`);
  }
}
