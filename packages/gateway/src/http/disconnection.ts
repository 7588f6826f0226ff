import type { ServerResponse } from 'node:http';

/** Signal that is aborted when the client disconnects before it has the whole answer. */
export function disconnectionOf(outgoing: ServerResponse): AbortSignal {
  const gone = new AbortController();
  const look = (): void => {
    if (!outgoing.writableFinished) gone.abort();
  };
  if (outgoing.closed) look();
  else outgoing.once('close', look);
  return gone.signal;
}
