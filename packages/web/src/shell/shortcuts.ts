import { useEffect } from 'react';
import { app, goTo } from '../state/app.ts';
import { createSession } from '../state/sessions.ts';

export interface Actions {
  openDrawer(): void;
  closeDrawer(): void;
}

/** Begins a session; with several agents, goes to the choice of agents first. */
export function beginSession(): void {
  const { agents } = app.get();
  if (agents.length === 1 && agents[0] !== undefined) createSession(agents[0].name);
  else goTo({ at: 'home' });
  // At home `go` changes no address: the choice of agents is on the screen already, and gets the focus.
  document.querySelector<HTMLElement>('.agent')?.focus();
}

/** Keyboard shortcuts of the whole page. Escape is handled by `useEscape` in the chat. */
export function useShortcuts({ openDrawer, closeDrawer }: Actions): void {
  useEffect(() => {
    const listening = new AbortController();
    window.addEventListener(
      'keydown',
      (event) => {
        if ((event.metaKey || event.ctrlKey) && event.code === 'KeyK' && !event.shiftKey && !event.altKey) {
          event.preventDefault();
          openDrawer();
          // The drawer is `inert` until the next frame.
          requestAnimationFrame(() => document.getElementById('search')?.focus());
        } else if (event.altKey && event.code === 'KeyN' && !event.metaKey && !event.ctrlKey) {
          event.preventDefault();
          closeDrawer();
          beginSession();
        }
      },
      { signal: listening.signal },
    );
    return () => listening.abort();
  });
}
