import type { Session } from '@plugboard/store';
import { API_CHANNEL } from '../sessions/brief-session.ts';
import { fullPage, noCursor } from './full-page.ts';
import { maySeeSession } from './resources.ts';
import type { RouteRequest } from './route.ts';

interface Asked {
  readonly limit: number;
  readonly search?: string;
  /** `programs` selects sessions of `API_CHANNEL`, `people` excludes them. */
  readonly from?: 'people' | 'programs';
  /** Cursor from `next` of the previous page. */
  readonly cursor?: string;
  /** Cancels a search, for a client that has disconnected. */
  readonly signal?: AbortSignal;
}

interface Page {
  readonly sessions: readonly Session[];
  readonly next: string | null;
}

type Mark = Pick<Session, 'id' | 'updatedAt'>;

/** A page of the sessions that the principal may see, newest first. */
export async function listSessions(
  asking: Pick<RouteRequest, 'gateway' | 'principal'>,
  asked: Asked,
): Promise<Page> {
  const { store } = asking.gateway;
  const { limit, cursor, from, ...search } = asked;
  const channels =
    from === 'programs' ? { channel: API_CHANNEL } : from === 'people' ? { exceptChannel: API_CHANNEL } : {};
  const { found, last } = await fullPage<Mark, Session>({
    limit,
    before: cursor === undefined ? undefined : readCursor(cursor),
    read: (before) =>
      store.sessions.list({ limit, ...channels, ...search, ...(before === undefined ? {} : { before }) }),
    may: (session) => maySeeSession(asking, session),
  });
  return { sessions: found, next: last === undefined ? null : cursorAt(last) };
}

function cursorAt({ updatedAt, id }: Mark): string {
  return `${updatedAt}.${id}`;
}

function readCursor(cursor: string): Mark {
  const [, time, id] = /^(\d{1,15})\.([\w-]+)$/.exec(cursor) ?? [];
  if (time === undefined || id === undefined) throw noCursor();
  return { id, updatedAt: Number(time) };
}
