import { createId, isPassing, type SessionView } from '@plugboard/client';
import { followConversation } from '../api/follow.ts';
import { gateway } from '../api/gateway.ts';
import { describeError, isLoggedOut } from '../api/request.ts';
import { app, goTo, logOut, type SessionList, showToast } from './app.ts';
import { browserKeep } from './keep.ts';
import { patchStore } from './store.ts';

const LONGEST_TITLE = 80;
/** The `channel` of sessions that programs began. */
const PROGRAMS = 'api';

/**
 * The list with the new state of `session`. In search results only listed sessions are replaced: whether others match
 * is known to the gateway.
 */
export function upsertSession(list: SessionList, session: SessionView): SessionList {
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
  app.update((now) => ({ ...now, list: upsertSession(now.list, session) }));
}

let loading = new AbortController();

/** Loads the list from the top, or for `more` the page after it. A newer question makes the older one void. */
export async function loadSessions(search: string, more = false): Promise<void> {
  loading.abort();
  loading = new AbortController();
  const { signal } = loading;
  const { list } = app.get();
  patchStore(app, { list: { ...list, search, state: 'loading' } });
  try {
    const cursor = more ? (list.next ?? undefined) : undefined;
    const query = { from: list.from, search: search || undefined, cursor, limit: 50 };
    const page = await gateway.sessions.list({ ...query, signal });
    const before = more ? list.sessions : [];
    const ids = new Set(before.map(({ id }) => id));
    const sessions = [...before, ...page.sessions.filter(({ id }) => !ids.has(id))];
    patchStore(app, { list: { from: list.from, search, sessions, next: page.next, state: 'ready' } });
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

/** Keeps the list up to date. The feed has no replay, so the list is fetched again after every connection. */
export function followFeed(signal: AbortSignal): Promise<void> {
  return followConversation({
    signal,
    begin: gateway.feed,
    onLink(feed) {
      patchStore(app, { feed });
      if (feed === 'live') loadSessions(app.get().list.search);
    },
    onStep(step) {
      if (step.type === 'session') noteSession(step.session);
      else patchStore(app, { agents: step.agents });
    },
    onLoggedOut: logOut,
  });
}

/** Runs `work` and puts its session into the list; shows an error as a toast, or logs out. */
async function applyAction(work: () => Promise<SessionView | undefined>): Promise<SessionView | undefined> {
  try {
    const session = await work();
    if (session !== undefined) noteSession(session);
    return session;
  } catch (error) {
    if (isLoggedOut(error)) logOut();
    else showToast(describeError(error));
    return undefined;
  }
}

/** Opens an empty session of `agent`: an unused one of this browser, or else a new one. */
export async function createSession(agent: string): Promise<void> {
  const session = await applyAction(() => openUnused(agent));
  if (session !== undefined) goTo({ at: 'session', id: session.id });
}

/**
 * The key of the last session begun with each agent is stored, so that visiting agents leaves no empty sessions behind.
 */
async function openUnused(agent: string): Promise<SessionView> {
  const kept = browserKeep.read(`plugboard.unused.${agent}`);
  if (kept !== null) {
    const session = await openSession(agent, kept).catch(nullIfRefused);
    if (session !== null && session.agent === agent && isUnused(session)) return session;
  }
  const place = createId();
  browserKeep.write(`plugboard.unused.${agent}`, place);
  return openSession(agent, place);
}

function openSession(agent: string, place: string): Promise<SessionView> {
  return gateway.sessions.open({ agent, place, channel: 'web' });
}

/** The gateway refuses a key that this login may not open, because its session belongs to another agent. */
function nullIfRefused(error: unknown): null {
  if (isPassing(error) || isLoggedOut(error)) throw error;
  return null;
}

/** Whether a session has no events and no title, so that `openSession` can reuse it. */
export function isUnused({ lastEvent, title, closed }: SessionView): boolean {
  return lastEvent === 0 && title === '' && !closed;
}

export const renameSession = (id: string, title: string): Promise<unknown> =>
  applyAction(() => gateway.sessions.update(id, { title }));

/** Titles an untitled session with the first line of its first message. */
export function nameSession(id: string, text: string): void {
  const session = app.get().list.sessions.find((one) => one.id === id);
  const title = text.trim().split('\n')[0]?.slice(0, LONGEST_TITLE) ?? '';
  if (session?.title === '' && title !== '') renameSession(id, title);
}

export const changeAgent = (id: string, agent: string): Promise<unknown> =>
  applyAction(() => gateway.sessions.update(id, { agent }));

export const endSession = (id: string): Promise<unknown> =>
  applyAction(async () => {
    await gateway.sessions.end(id);
    return gateway.sessions.get(id, AbortSignal.timeout(10_000));
  });
