const changes = new EventTarget();
/** The page is in the back/forward cache (after `pagehide`), where it must hold no connection. */
let putAside = false;

function tellChange(): void {
  changes.dispatchEvent(new Event('change'));
}

/** Adds the listeners of `readVisibility` and `onVisibilityChange`; called once by `startPage`. */
export function watchVisibility(): void {
  document.addEventListener('visibilitychange', tellChange);
  // `resume` follows a freeze, for example of a sleeping phone: timers are late and connections may be dead.
  document.addEventListener('resume', tellChange);
  window.addEventListener('pagehide', () => {
    putAside = true;
    tellChange();
  });
  window.addEventListener('pageshow', () => {
    putAside = false;
    tellChange();
  });
}

/** How the user sees the page: `aside` means that it was left through the history, and may never be shown again. */
export function readVisibility(): 'shown' | 'hidden' | 'aside' {
  if (putAside) return 'aside';
  return document.hidden ? 'hidden' : 'shown';
}

/** Tells whenever that may have changed. */
export function onVisibilityChange(listener: () => void, signal: AbortSignal): void {
  changes.addEventListener('change', listener, { signal });
}
