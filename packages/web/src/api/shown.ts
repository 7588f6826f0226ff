const changes = new EventTarget();
/** The page is kept by the browser for the way back, and must not hold on to anything. */
let putAside = false;

function tellChange(): void {
  changes.dispatchEvent(new Event('change'));
}

/** Looks after it, from the start of the page on. */
export function watchStanding(): void {
  document.addEventListener('visibilitychange', tellChange);
  // After a freeze, as of a phone that slept, timers and connections are older than they seem.
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

/** How the page stands before the person: `aside` means left by the way of the history, and perhaps never seen again. */
export function standing(): 'shown' | 'hidden' | 'aside' {
  if (putAside) return 'aside';
  return document.hidden ? 'hidden' : 'shown';
}

/** Tells whenever that may have changed. */
export function onStanding(listener: () => void, signal: AbortSignal): void {
  changes.addEventListener('change', listener, { signal });
}
