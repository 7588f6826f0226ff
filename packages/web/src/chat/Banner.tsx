import { type ReactNode, useEffect, useState } from 'react';
import { app } from '../state/app.ts';
import type { OpenSession } from '../state/open.ts';
import { useStore } from '../state/store.ts';

/** Interruptions of the stream below 700 ms are not shown, unless the browser is offline. */
const SAY_AFTER = 700;

/** Shows that the connection is lost, and how many messages of the outbox wait for it. */
export function Banner({ open }: { readonly open: OpenSession }): ReactNode {
  const link = useStore(open.store, (state) => state.link);
  const waiting = useStore(app, (state) => state.outbox.filter((item) => item.state === 'waiting').length);
  const [lost, setLost] = useState(false);
  useEffect(() => {
    if (link === 'live') return setLost(false);
    if (link === 'connecting') return;
    const timer = setTimeout(() => setLost(true), navigator.onLine ? SAY_AFTER : 0);
    return () => clearTimeout(timer);
  }, [link]);
  return (
    <div role="status" className="banner-place">
      {lost ? (
        <p className="banner">
          <span className="dot queued" /> No connection to the gateway. Trying again…
          {waiting > 0
            ? ` ${waiting === 1 ? 'Your message is' : `${waiting} messages are`} kept and sent then.`
            : ''}
        </p>
      ) : null}
    </div>
  );
}
