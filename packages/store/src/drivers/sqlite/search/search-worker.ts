import { parentPort, workerData } from 'node:worker_threads';
import { openConnection } from '@plugboard/sqlite';
import type { SessionRow } from '../sessions/session-rows.ts';
import { findSessions, type SessionSearch } from './find-sessions.ts';

/** Message from `createSearcher` to this thread. */
export interface SearchRequest extends SessionSearch {
  readonly limitMs: number;
}

/** Answer of this thread. `timeout`: the search took longer than `limitMs`. */
export type SearchReply =
  | { readonly sessions: readonly SessionRow[] }
  | { readonly failure: 'timeout' }
  | { readonly failure: 'error'; readonly message: string; readonly errcode: number | undefined };

class SearchTimeout extends Error {}

/** Searches on a separate read-only connection block neither the event loop nor commits. */
function serveSearches(port: NonNullable<typeof parentPort>, file: string): void {
  const connection = openConnection(file, { readOnly: true });
  port.on('message', (request: SearchRequest) => {
    const end = performance.now() + request.limitMs;
    const checkTime = (): void => {
      if (performance.now() > end) throw new SearchTimeout();
    };
    try {
      port.postMessage({ sessions: findSessions(connection, request, checkTime) } satisfies SearchReply);
    } catch (error) {
      port.postMessage(toReply(error));
    }
  });
}

function toReply(error: unknown): SearchReply {
  if (error instanceof SearchTimeout) return { failure: 'timeout' };
  const { message, errcode } = error as Error & { errcode?: number };
  return { failure: 'error', message, errcode };
}

if (parentPort !== null) serveSearches(parentPort, (workerData as { file: string }).file);
