import type { Session, Store } from '@plugboard/store';
import { API_CHANNEL } from '../sessions/brief-session.ts';
import type { Principal } from './auth.ts';
import { noCursor } from './cursor.ts';
import { fullPage } from './full-page.ts';
import { maySee } from './sight.ts';

interface Asked {
  readonly limit: number;
  readonly search?: string;
  /** Sessions begun by programs, or all others. */
  readonly from?: 'people' | 'programs';
  /** Where the page before ended. */
  readonly cursor?: string;
  /** Cancels a search. */
  readonly signal?: AbortSignal;
}

interface Page {
  readonly sessions: readonly Session[];
  readonly next: string | null;
}

type Mark = Pick<Session, 'id' | 'updatedAt'>;

/** A page of the sessions that somebody may see, newest first. */
export async function listSessions(store: Store, principal: Principal, asked: Asked): Promise<Page> {
  const { limit, cursor, from, ...search } = asked;
  const channels =
    from === 'programs' ? { channel: API_CHANNEL } : from === 'people' ? { exceptChannel: API_CHANNEL } : {};
  const { found, last } = await fullPage<Mark, Session>({
    limit,
    before: cursor === undefined ? undefined : readCursor(cursor),
    read: (before) =>
      store.sessions.list({ limit, ...channels, ...search, ...(before === undefined ? {} : { before }) }),
    may: (session) => maySee(store, principal, session),
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
