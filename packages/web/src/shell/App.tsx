import './shell.css';
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { Home } from '../sessions/Home.tsx';
import { Sidebar } from '../sessions/Sidebar.tsx';
import { app } from '../state/app.ts';
import { useStore } from '../state/store.ts';
import { Lazy } from './Lazy.tsx';
import { Login } from './Login.tsx';
import { channelsPart, chatPart, inspectorPart } from './parts.ts';
import { type Actions, useShortcuts } from './shortcuts.ts';

/** The page: the desk with its sidebar, or the login. */
export function App(): ReactNode {
  const login = useStore(app, (state) => state.login);
  return (
    <>
      {login === 'in' ? <Desk /> : <Login state={login} />}
      <Toast />
    </>
  );
}

function Desk(): ReactNode {
  const route = useStore(app, (state) => state.route);
  const narrow = useNarrow();
  const [drawer, setDrawer] = useState(false);
  const actions: Actions = { openDrawer: () => setDrawer(true), closeDrawer: () => setDrawer(false) };
  useShortcuts(actions);
  useEffect(() => {
    // Closes the drawer after each change of `route`; the focused element may have been removed with the previous view.
    setDrawer(false);
    if (route.at === 'inspect' || route.at === 'channels') document.getElementById('main')?.focus();
  }, [route]);
  useDrawerFocus(narrow && drawer);
  return (
    <div className="desk">
      <button type="button" className="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the conversation
      </button>
      <Sidebar hidden={narrow && !drawer} onClose={() => setDrawer(false)} />
      {narrow && drawer ? (
        <button
          type="button"
          className="scrim"
          aria-label="Close the list"
          onClick={() => setDrawer(false)}
        />
      ) : null}
      <main id="main" className="main" tabIndex={-1} inert={narrow && drawer}>
        {route.at === 'home' ? <Home onMenu={actions.openDrawer} /> : null}
        {route.at === 'channels' ? <Lazy part={channelsPart} props={{ onMenu: actions.openDrawer }} /> : null}
        {route.at === 'session' ? (
          <Lazy
            key={`chat-${route.id}`}
            part={chatPart}
            props={{ id: route.id, onMenu: actions.openDrawer }}
          />
        ) : null}
        {route.at === 'inspect' ? (
          <Lazy
            key={`inspector-${route.id}`}
            part={inspectorPart}
            props={{ id: route.id, turnId: route.turnId }}
          />
        ) : null}
      </main>
    </div>
  );
}

/** Moves the focus into the drawer when it opens, and back when it closes. */
function useDrawerFocus(open: boolean): void {
  useEffect(() => {
    if (!open) return;
    document.querySelector<HTMLElement>('.session[aria-current], .session, #search')?.focus();
    return () => {
      if (document.activeElement === document.body) document.querySelector<HTMLElement>('.menu')?.focus();
    };
  }, [open]);
}

/** The sidebar does not fit beside the chat. `shell.css` has the same width. */
const narrow = window.matchMedia('(max-width: 760px)');

function useNarrow(): boolean {
  return useSyncExternalStore(
    (listener) => {
      narrow.addEventListener('change', listener);
      return () => narrow.removeEventListener('change', listener);
    },
    () => narrow.matches,
  );
}

/** The latest error message; `role="status"` makes screen readers announce it. */
function Toast(): ReactNode {
  const toast = useStore(app, (state) => state.toast);
  return (
    <div className="toasts" role="status">
      {toast === null ? null : (
        <p key={toast.key} className="toast">
          {toast.text}
        </p>
      )}
    </div>
  );
}
