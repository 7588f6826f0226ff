import { useEffect } from 'react';
import type { SessionView } from '../api/shapes.ts';
import { visible } from '../text/visible.ts';

/** The tab says which session it holds, and whether something is under way. */
export function useTitle(session: SessionView | null): void {
  const title = session?.title || 'New session';
  const running = session?.state === 'running';
  useEffect(() => {
    document.title = `${running ? '● ' : ''}${visible(title)} · Plugboard`;
  }, [title, running]);
}
