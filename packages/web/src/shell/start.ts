import { type AgentView, backoff, isPassing } from '@plugboard/client';
import { gateway, login, logout } from '../api/gateway.ts';
import { describeError, isLoggedOut } from '../api/request.ts';
import { watchVisibility } from '../api/shown.ts';
import { untilShown, waitForChance } from '../api/wait.ts';
import { app, logOut } from '../state/app.ts';
import { resumeDelivery } from '../state/delivery.ts';
import { readCode, readRoute } from '../state/route.ts';
import { followFeed } from '../state/sessions.ts';
import { patchStore } from '../state/store.ts';
import { prepareChat } from './parts.ts';
import { applyTheme, storedTheme } from './theme.ts';

/** Called once by `main.tsx`: applies the theme, logs in, and follows `hashchange`. */
export function startPage(): void {
  watchVisibility();
  applyTheme(storedTheme());
  window.addEventListener('hashchange', openAddress);
  openAddress();
}

/** A login link may be opened in a tab that has the page already: then only the fragment changes, without a load. */
function openAddress(): void {
  const code = readCode(window.location.hash);
  if (code === null) {
    patchStore(app, { route: readRoute(window.location.hash) });
    if (app.get().route.at === 'session') prepareChat();
    if (app.get().login === 'checking') checkLogin();
    return;
  }
  // `replaceState` runs before the login request: the code must not stay in the address or in the history.
  window.history.replaceState(null, '', window.location.pathname);
  patchStore(app, { route: { at: 'home' }, login: 'checking', loginProblem: null });
  login(code).then(checkLogin, (error: unknown) => {
    const used = 'This link has been used already, or is too old.';
    logOut(isLoggedOut(error) ? used : describeError(error));
  });
}

let following: AbortController | null = null;
/** Knocking goes on as long as the page does. */
const forever = new AbortController().signal;

/** Finds out whether we are logged in, and if so begins. A gateway that does not answer is asked again. */
export async function checkLogin(): Promise<void> {
  for (let attempt = 2; ; attempt += 1) {
    try {
      const { scopes } = await gateway.request<{ scopes: readonly string[] }>('GET', '/api/me');
      patchStore(app, { operates: scopes.includes('operate') || scopes.includes('admin') });
      return showAgents(await gateway.agents.list());
    } catch (error) {
      if (!isPassing(error)) return logOut(isLoggedOut(error) ? null : describeError(error));
      patchStore(app, { login: 'unreachable' });
    }
    await waitForChance(backoff(attempt), forever);
    await untilShown(forever);
    if (app.get().login !== 'unreachable') return;
  }
}

function showAgents(agents: readonly AgentView[]): void {
  patchStore(app, { login: 'in', loginProblem: null, agents });
  following?.abort();
  following = new AbortController();
  followFeed(following.signal);
  // Preloaded while the gateway is reachable: it may be away when the first session is opened.
  prepareChat();
  resumeDelivery();
}

export async function leavePage(): Promise<void> {
  following?.abort();
  await logout().catch(() => {});
  logOut();
}
