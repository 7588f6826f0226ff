import type { Session, Store } from '@plugboard/store';
import { mayUse, type Principal } from './auth.ts';
import { Problem } from './problem.ts';

interface Asked {
  readonly limit: number;
  readonly search?: string;
  /** Where the page before ended. */
  readonly cursor?: string;
}

interface Page {
  readonly sessions: readonly Session[];
  readonly next: string | null;
}

/** Sessions that are passed over for one page: those of agents that a token is not for. */
const MOST_PASSED = 5_000;

/** A page of the sessions that somebody may see, newest first. */
export async function listSessions(store: Store, principal: Principal, asked: Asked): Promise<Page> {
  const { limit, cursor, ...search } = asked;
  const sessions: Session[] = [];
  let before = cursor === undefined ? undefined : readCursor(cursor);
  for (let passed = 0; passed < MOST_PASSED; passed += limit) {
    const from = before === undefined ? {} : { before };
    const page = await store.sessions.list({ limit, ...search, ...from });
    for (const session of page) {
      before = session;
      if (mayUse(principal, session.agent)) sessions.push(session);
      if (sessions.length === limit) return { sessions, next: cursorAt(session) };
    }
    if (page.length < limit) return { sessions, next: null };
  }
  return { sessions, next: before === undefined ? null : cursorAt(before) };
}

function cursorAt({ updatedAt, id }: Pick<Session, 'id' | 'updatedAt'>): string {
  return `${updatedAt}.${id}`;
}

function readCursor(cursor: string): Pick<Session, 'id' | 'updatedAt'> {
  const [, time, id] = /^(\d{1,15})\.([\w-]+)$/.exec(cursor) ?? [];
  if (time === undefined || id === undefined) throw new Problem('invalid', 'This is no cursor of ours.');
  return { id, updatedAt: Number(time) };
}
