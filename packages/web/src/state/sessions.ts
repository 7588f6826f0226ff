import { type Following, follow } from '../api/follow.ts';
import { gateway } from '../api/gateway.ts';
import { isLoggedOut, isPassing, sentence } from '../api/request.ts';
import type { AgentView, SessionView } from '../api/shapes.ts';
import { uniqueId } from '../text/unique.ts';
import { app, go, logOut, type SessionList, tell } from './app.ts';
import { browserKeep } from './keep.ts';
import { patch } from './store.ts';

const LONGEST_TITLE = 80;
/** The channel of sessions that programs began. */
const PROGRAMS = 'api';

/** The list with a session as it is now. A search shows what was found: a session that changes does not join it. */
export function upsert(list: SessionList, session: SessionView): SessionList {
  if ((session.channel === PROGRAMS) !== (list.from === 'programs')) return list;
  const known = list.sessions.some(({ id }) => id === session.id);
  if (!known && list.search !== '') return list;
  const others = list.sessions.filter(({ id }) => id !== session.id);
  if (list.search !== '') {
    return { ...list, sessions: list.sessions.map((one) => (one.id === session.id ? session : one)) };
  }
  const after = others.findIndex(({ updatedAt }) => updatedAt <= session.updatedAt);
  const at = after === -1 ? others.length : after;
  return { ...list, sessions: others.toSpliced(at, 0, session) };
}

export function noteSession(session: SessionView): void {
  app.update((now) => ({ ...now, list: upsert(now.list, session) }));
}

let loading = new AbortController();

/** Loads the list from the top, or for `more` the page after it. A newer question makes the older one void. */
export async function loadSessions(search: string, more = false): Promise<void> {
  loading.abort();
  loading = new AbortController();
  const { signal } = loading;
  const { list } = app.get();
  patch(app, { list: { ...list, search, state: 'loading' } });
  try {
    const page = await gateway.sessions(list.from, search, more ? list.next : null, signal);
    const before = more ? list.sessions : [];
    const ids = new Set(before.map(({ id }) => id));
    const sessions = [...before, ...page.sessions.filter(({ id }) => !ids.has(id))];
    patch(app, { list: { from: list.from, search, sessions, next: page.next, state: 'ready' } });
  } catch (error) {
    if (signal.aborted) return;
    if (isLoggedOut(error)) return logOut();
    app.update((now) => ({ ...now, list: { ...now.list, state: 'failed' } }));
  }
}

/** Lists the sessions of people or of programs from now on. */
export function listFrom(from: SessionList['from']): void {
  app.update((now) => ({ ...now, list: { ...now.list, from, sessions: [], next: null } }));
  loadSessions(app.get().list.search);
}

/** Keeps the list live. The feed has no memory, so after every connection the list is fetched again. */
export function followFeed(signal: AbortSignal): Promise<void> {
  const following: Following = {
    signal,
    address: gateway.feed,
    onLink(feed) {
      patch(app, { feed });
      if (feed === 'live') loadSessions(app.get().list.search);
    },
    onMessage({ event, data }) {
      if (event === 'session') noteSession(JSON.parse(data) as SessionView);
      else if (event === 'agents') patch(app, JSON.parse(data) as { agents: AgentView[] });
    },
    onLoggedOut: logOut,
  };
  return follow(following);
}

/** Does something to a session and shows what became of it; a failure is told. */
async function act(work: () => Promise<SessionView | undefined>): Promise<SessionView | undefined> {
  try {
    const session = await work();
    if (session !== undefined) noteSession(session);
    return session;
  } catch (error) {
    if (isLoggedOut(error)) logOut();
    else tell(sentence(error));
    return undefined;
  }
}

/** Opens a session in which nothing was said yet: the one that this browser has of an agent, else a new one. */
export async function createSession(agent: string): Promise<void> {
  const session = await act(() => openUnused(agent));
  if (session !== undefined) go({ at: 'session', id: session.id });
}

/** The place of the last session begun with an agent is kept, so that looking at agents leaves no empty sessions behind. */
async function openUnused(agent: string): Promise<SessionView> {
  const kept = browserKeep.read(`plugboard.unused.${agent}`);
  if (kept !== null) {
    const session = await gateway.openSession(agent, kept).catch(nullIfRefused);
    if (session !== null && session.agent === agent && isUnused(session)) return session;
  }
  const place = uniqueId();
  browserKeep.write(`plugboard.unused.${agent}`, place);
  return gateway.openSession(agent, place);
}

/** A place may be refused to this login, because another agent answers there. */
function nullIfRefused(error: unknown): null {
  if (isPassing(error) || isLoggedOut(error)) throw error;
  return null;
}

/** Whether a session has no events and no title, so that `openSession` can reuse it. */
export function isUnused({ lastEvent, title, closed }: SessionView): boolean {
  return lastEvent === 0 && title === '' && !closed;
}

export const renameSession = (id: string, title: string): Promise<unknown> =>
  act(() => gateway.changeSession(id, { title }));

/** A session is called after the first line of its first message, until somebody names it. */
export function nameSession(id: string, text: string): void {
  const session = app.get().list.sessions.find((one) => one.id === id);
  const title = text.trim().split('\n')[0]?.slice(0, LONGEST_TITLE) ?? '';
  if (session?.title === '' && title !== '') renameSession(id, title);
}

export const changeAgent = (id: string, agent: string): Promise<unknown> =>
  act(() => gateway.changeSession(id, { agent }));

export const endSession = (id: string): Promise<unknown> =>
  act(async () => {
    await gateway.endSession(id);
    return gateway.session(id, AbortSignal.timeout(10_000));
  });
