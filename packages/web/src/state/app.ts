import { type AgentView, createId, type SessionView } from '@plugboard/client';
import type { Link } from '../api/follow.ts';
import type { Outgoing } from './outbox.ts';
import { hashOf, type Route } from './route.ts';
import { createStore, patchStore, type Store } from './store.ts';

/** The answer of a command, shown once and not stored by the gateway. */
interface Aside {
  readonly key: string;
  readonly sessionId: string;
  readonly text: string;
}

export interface SessionList {
  /** Sessions that programs began, through /v1 for example, are apart from those of people. */
  readonly from: 'people' | 'programs';
  readonly search: string;
  readonly sessions: readonly SessionView[];
  readonly next: string | null;
  readonly state: 'loading' | 'ready' | 'failed';
}

/** The state of the page except the open session, which is in `Opened`. */
export interface App {
  readonly login: 'checking' | 'in' | 'out' | 'unreachable';
  /** Why the last link did not work. */
  readonly loginProblem: string | null;
  readonly route: Route;
  /** Whether this browser may let people into channels and settle deliveries. */
  readonly operates: boolean;
  readonly agents: readonly AgentView[];
  readonly list: SessionList;
  readonly feed: Link;
  readonly outbox: readonly Outgoing[];
  readonly asides: readonly Aside[];
  readonly toast: { readonly key: string; readonly text: string } | null;
}

export const app: Store<App> = createStore<App>({
  login: 'checking',
  loginProblem: null,
  route: { at: 'home' },
  operates: false,
  agents: [],
  list: { from: 'people', search: '', sessions: [], next: null, state: 'loading' },
  feed: 'connecting',
  outbox: [],
  asides: [],
  toast: null,
});

export function logOut(problem: string | null = null): void {
  patchStore(app, { login: 'out', loginProblem: problem });
}

/** Sets `location.hash`; `route` follows with `hashchange`, as it does for the back button. */
export function goTo(route: Route): void {
  window.location.hash = hashOf(route);
}

export function showToast(text: string): void {
  const toast = { key: createId(), text };
  patchStore(app, { toast });
  setTimeout(() => app.update((now) => (now.toast === toast ? { ...now, toast: null } : now)), 6000);
}
