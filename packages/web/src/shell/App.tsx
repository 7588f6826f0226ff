import { type ReactNode, useEffect, useState } from 'react';
import { Home } from '../sessions/Home.tsx';
import { Sidebar } from '../sessions/Sidebar.tsx';
import { app } from '../state/app.ts';
import { useStore } from '../state/store.ts';
import { Lazy } from './Lazy.tsx';
import { Login } from './Login.tsx';
import { chatPart, inspectorPart } from './parts.ts';
import { type Actions, useShortcuts } from './shortcuts.ts';
import { Toast } from './Toast.tsx';
import { useNarrow } from './useNarrow.ts';
import './shell.css';

/** The whole page: the list at the side, what it leads to in the middle. */
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
    // Wherever the person goes, the drawer has done its work; what was focused may be gone with what was left.
    setDrawer(false);
    if (route.at === 'inspect') document.getElementById('main')?.focus();
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

/** Opening the drawer moves the focus into it; closing gives it back. */
function useDrawerFocus(open: boolean): void {
  useEffect(() => {
    if (!open) return;
    document.querySelector<HTMLElement>('.session[aria-current], .session, #search')?.focus();
    return () => {
      if (document.activeElement === document.body) document.querySelector<HTMLElement>('.menu')?.focus();
    };
  }, [open]);
}
