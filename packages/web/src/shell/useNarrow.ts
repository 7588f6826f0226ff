import { useSyncExternalStore } from 'react';

/** The list does not fit beside the conversation. The same width is in shell.css. */
const narrow = window.matchMedia('(max-width: 760px)');

export function useNarrow(): boolean {
  return useSyncExternalStore(
    (listener) => {
      narrow.addEventListener('change', listener);
      return () => narrow.removeEventListener('change', listener);
    },
    () => narrow.matches,
  );
}
