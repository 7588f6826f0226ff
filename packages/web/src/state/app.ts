import type { Link } from '../api/follow.ts';
import type { AgentView, SessionView } from '../api/shapes.ts';
import { uniqueId } from '../text/unique.ts';
import type { Outgoing } from './outbox.ts';
import { hashOf, type Route } from './route.ts';
import { createStore, patch, type Store } from './store.ts';

/** The answer of a command: shown once, kept by nobody. */
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

/** Everything the page knows beside the session that is open. */
export interface App {
  readonly login: 'checking' | 'in' | 'out' | 'unreachable';
  /** Why the last link did not work. */
  readonly loginProblem: string | null;
  readonly route: Route;
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
  agents: [],
  list: { from: 'people', search: '', sessions: [], next: null, state: 'loading' },
  feed: 'connecting',
  outbox: [],
  asides: [],
  toast: null,
});

export function logOut(problem: string | null = null): void {
  patch(app, { login: 'out', loginProblem: problem });
}

/** Goes somewhere. The address changes first; the route follows it, as it does when the person uses the back button. */
export function go(route: Route): void {
  window.location.hash = hashOf(route);
}

export function tell(text: string): void {
  const toast = { key: uniqueId(), text };
  patch(app, { toast });
  setTimeout(() => app.update((now) => (now.toast === toast ? { ...now, toast: null } : now)), 6000);
}
