import { backoff, type EventView, isPassing, type OptionsView, type SessionView } from '@plugboard/client';
import type { OptionValue } from '@plugboard/protocol';
import { followConversation, type Link } from '../api/follow.ts';
import { gateway } from '../api/gateway.ts';
import { describeError, isLoggedOut } from '../api/request.ts';
import { untilShown, waitForChance } from '../api/wait.ts';
import { logOut, showToast } from './app.ts';
import { type Conversation, emptyConversation, extendConversation, prependEvents } from './conversation.ts';
import { confirmMessages } from './delivery.ts';
import { createOffer, type Offer } from './offer.ts';
import { noteSession } from './sessions.ts';
import { createStore, patchStore, type Store } from './store.ts';

const PAGE = 400;
/** Minimum time between two renderings of new events: a fast agent sends thousands of events per second. */
const DRAW_EVERY = 40;

/** The session on the screen. */
interface Opened {
  readonly session: SessionView | null;
  readonly conversation: Conversation;
  readonly loaded: boolean;
  readonly loadingOlder: boolean;
  readonly problem: string | null;
  readonly link: Link;
  /** What the agent offers, with the values that people have chosen. */
  readonly offer: OptionsView;
}

export interface OpenSession {
  readonly id: string;
  readonly store: Store<Opened>;
  loadOlder(): Promise<void>;
  stop(): Promise<void>;
  /** Sets an option of the agent, from the next message on. */
  choose(option: string, value: OptionValue): Promise<void>;
  close(): void;
}

/** Loads the newest page of a session and follows its events until `close` is called. */
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
    offer: { options: [], commands: [] },
  });
  const offer = createOffer(id, store);
  followSession(id, store, offer, signal);
  return {
    id,
    store,
    loadOlder: () => loadOlder(id, store, signal),
    stop: () => stopSession(id),
    choose: offer.choose,
    close: () => closing.abort(),
  };
}

/** Loads again from the start after a `resync`: the gateway does not know our event number. */
async function followSession(
  id: string,
  store: Store<Opened>,
  offer: Offer,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted && (await loadSession(id, store, offer, signal))) {
    const resync = new AbortController();
    await followEvents(id, store, offer, AbortSignal.any([signal, resync.signal]), () => resync.abort());
    if (!resync.signal.aborted) return;
  }
}

async function followEvents(
  id: string,
  store: Store<Opened>,
  offer: Offer,
  signal: AbortSignal,
  onResync: () => void,
): Promise<void> {
  const gathered: EventView[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = (): void => {
    timer = undefined;
    if (!signal.aborted) takeEvents(id, store, offer, gathered.splice(0));
  };
  await followConversation({
    signal,
    begin: (options) => gateway.events.follow(id, { ...options, after: store.get().conversation.last }),
    onLink: (link) => patchStore(store, { link }),
    onLoggedOut: logOut,
    onStep(step) {
      if (step.type === 'event') {
        gathered.push(step.view);
        timer ??= setTimeout(flush, DRAW_EVERY);
      } else if (step.type === 'status') takeStatus(store, step.session);
      else onResync();
    },
  });
  clearTimeout(timer);
}

function takeEvents(id: string, store: Store<Opened>, offer: Offer, views: readonly EventView[]): void {
  store.update((now) => ({ ...now, conversation: extendConversation(now.conversation, views) }));
  confirmMessages(id, views, true);
  if (views.some(({ event }) => event.type === 'options')) void offer.load();
}

function takeStatus(store: Store<Opened>, session: SessionView): void {
  patchStore(store, { session });
  noteSession(session);
}

/** Retries until the session is loaded; returns false if the gateway refuses it. */
async function loadSession(
  id: string,
  store: Store<Opened>,
  offer: Offer,
  signal: AbortSignal,
): Promise<boolean> {
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    try {
      const session = await gateway.sessions.get(id, signal);
      const after = Math.max(0, session.lastEvent - PAGE);
      const { events } = await gateway.events.list(id, { after, limit: 1000, signal });
      const conversation = extendConversation(emptyConversation(after), events);
      patchStore(store, { session, conversation, loaded: true, problem: null });
      confirmMessages(id, events, false);
      void offer.load();
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      if (isLoggedOut(error)) logOut();
      if (!isPassing(error)) {
        patchStore(store, { problem: describeError(error) });
        return false;
      }
      patchStore(store, { link: 'lost' });
      await waitForChance(backoff(attempt), signal);
      await untilShown(signal);
    }
  }
  return false;
}

/** Loads the page before the oldest event; where event numbers are sparse, the range grows with each try. */
async function loadOlder(id: string, store: Store<Opened>, signal: AbortSignal): Promise<void> {
  const { loadingOlder, conversation } = store.get();
  if (loadingOlder || conversation.first <= 1) return;
  patchStore(store, { loadingOlder: true });
  try {
    let after = conversation.first - 1;
    let found: EventView[] = [];
    for (let step = PAGE; found.length === 0 && after > 0; step *= 4) {
      after = Math.max(0, after - step);
      found = await eventsBetween(id, after, conversation.first, signal);
    }
    store.update((now) => ({ ...now, conversation: prependEvents(now.conversation, found, after) }));
  } catch (error) {
    if (!signal.aborted && !isPassing(error)) showToast(describeError(error));
  }
  if (!signal.aborted) patchStore(store, { loadingOlder: false });
}

/** All events between two numbers, both exclusive. */
async function eventsBetween(
  id: string,
  after: number,
  before: number,
  signal: AbortSignal,
): Promise<EventView[]> {
  const found: EventView[] = [];
  for (let from = after; from < before - 1; ) {
    const limit = Math.min(before - 1 - from, 1000);
    const { events } = await gateway.events.list(id, { after: from, limit, signal });
    found.push(...events.filter(({ number }) => number < before));
    const last = events.at(-1)?.number;
    if (last === undefined || last >= before - 1) break;
    from = last;
  }
  return found;
}

async function stopSession(id: string): Promise<void> {
  try {
    await gateway.sessions.stop(id);
  } catch (error) {
    if (isLoggedOut(error)) logOut();
    else showToast(`Not stopped. ${describeError(error)}`);
  }
}
