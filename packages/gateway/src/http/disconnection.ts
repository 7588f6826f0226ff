import type { ServerResponse } from 'node:http';

/** Aborted when the client goes before it has been answered. */
export function disconnectionOf(outgoing: ServerResponse): AbortSignal {
  const gone = new AbortController();
  const look = (): void => {
    if (!outgoing.writableFinished) gone.abort();
  };
  if (outgoing.closed) look();
  else outgoing.once('close', look);
  return gone.signal;
}
