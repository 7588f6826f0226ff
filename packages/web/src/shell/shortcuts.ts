import { useEffect } from 'react';
import { app, go } from '../state/app.ts';
import { createSession } from '../state/sessions.ts';

export interface Actions {
  openDrawer(): void;
  closeDrawer(): void;
}

/** A new session: with one agent there is nothing to choose. */
export function beginSession(): void {
  const { agents } = app.get();
  if (agents.length === 1 && agents[0] !== undefined) createSession(agents[0].name);
  else go({ at: 'home' });
  // Who is at home already comes from nowhere: the choice is on the screen.
  document.querySelector<HTMLElement>('.agent')?.focus();
}

/** Keys that work wherever the focus is. Escape belongs to the chat, where there is something to stop. */
export function useShortcuts({ openDrawer, closeDrawer }: Actions): void {
  useEffect(() => {
    const listening = new AbortController();
    window.addEventListener(
      'keydown',
      (event) => {
        if ((event.metaKey || event.ctrlKey) && event.code === 'KeyK' && !event.shiftKey && !event.altKey) {
          event.preventDefault();
          openDrawer();
          // The drawer is inert until it is drawn.
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
