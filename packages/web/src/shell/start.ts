import { backoff } from '../api/backoff.ts';
import { gateway } from '../api/gateway.ts';
import { isLoggedOut, isPassing, sentence } from '../api/request.ts';
import type { AgentView } from '../api/shapes.ts';
import { watchStanding } from '../api/shown.ts';
import { untilShown, waitForChance } from '../api/wait.ts';
import { app, logOut } from '../state/app.ts';
import { resumeDelivery } from '../state/delivery.ts';
import { readCode, readRoute } from '../state/route.ts';
import { followFeed } from '../state/sessions.ts';
import { patch } from '../state/store.ts';
import { prepareChat } from './parts.ts';
import { applyTheme, storedTheme } from './theme.ts';

/** Everything that happens once: the theme, the login, and following the address. */
export function startPage(): void {
  watchStanding();
  applyTheme(storedTheme());
  window.addEventListener('hashchange', enter);
  enter();
}

/** A login link may also be opened in a tab that has the page already: then only the fragment changes. */
function enter(): void {
  const code = readCode(window.location.hash);
  if (code === null) {
    patch(app, { route: readRoute(window.location.hash) });
    if (app.get().route.at === 'session') prepareChat();
    if (app.get().login === 'checking') arrive();
    return;
  }
  // At once, before anything can read it: the code must not stay in the address, nor in the history.
  window.history.replaceState(null, '', window.location.pathname);
  patch(app, { route: { at: 'home' }, login: 'checking', loginProblem: null });
  gateway.login(code).then(arrive, (error: unknown) => {
    const used = 'This link has been used already, or is too old.';
    logOut(isLoggedOut(error) ? used : sentence(error));
  });
}

let following: AbortController | null = null;
/** Knocking goes on as long as the page does. */
const forever = new AbortController().signal;

/** Finds out whether we are logged in, and if so begins. A gateway that does not answer is asked again. */
export async function arrive(): Promise<void> {
  for (let attempt = 2; ; attempt += 1) {
    try {
      await gateway.me();
      const { agents } = await gateway.agents();
      return begin(agents);
    } catch (error) {
      if (!isPassing(error)) return logOut(isLoggedOut(error) ? null : sentence(error));
      patch(app, { login: 'unreachable' });
    }
    await waitForChance(backoff(attempt), forever);
    await untilShown(forever);
    if (app.get().login !== 'unreachable') return;
  }
}

function begin(agents: readonly AgentView[]): void {
  patch(app, { login: 'in', loginProblem: null, agents });
  following?.abort();
  following = new AbortController();
  followFeed(following.signal);
  // While the gateway is there: it may be away when the first session is opened.
  prepareChat();
  resumeDelivery();
}

export async function leave(): Promise<void> {
  following?.abort();
  await gateway.logout().catch(() => {});
  logOut();
}
