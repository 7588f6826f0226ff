import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { SessionRow } from '../records/session.ts';
import { findSessions, type SessionSearch } from './find-sessions.ts';

/** What the searcher asks of this thread. */
export interface SearchRequest extends SessionSearch {
  readonly limitMs: number;
}

/** What this thread answers. `timeout`: `limitMs` were over. */
export type SearchReply =
  | { readonly sessions: readonly SessionRow[] }
  | { readonly failure: 'timeout' }
  | { readonly failure: 'error'; readonly message: string; readonly errcode: number | undefined };

class SearchTimeout extends Error {}

/** Runs searches on a connection of its own that only reads, so that they hold up neither turns nor commits. */
function serveSearches(port: NonNullable<typeof parentPort>, file: string): void {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  const connection = { file, database, statements: new Map() };
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
