import type { History } from '@plugboard/agent';
import type { EventView, SessionView } from '@plugboard/client';
import type { HistoryEntry, KnownSession } from '@plugboard/protocol';
import { type Contact, retryGateway } from '../contact.ts';
import type { SessionPlaces } from './session-places.ts';

/** The sessions of a gateway, and what was said in them. `onRead` is told how far a log was read. */
export function createHistory(
  contact: Contact,
  places: SessionPlaces,
  onRead: (sessionKey: string, last: number) => void,
): History {
  return {
    async list({ workspace, cursor }) {
      const page = await retryGateway(contact, ({ sessions }) =>
        sessions.list({ from: 'people', limit: 50, cursor }),
      );
      const sessions = page.sessions
        .filter((session) => !session.closed && places.isShown(session))
        .map((session) => ({ ...known(session, places), ...(workspace === undefined ? {} : { workspace }) }));
      return { sessions, ...(page.next === null ? {} : { next: page.next }) };
    },
    has: async (key) => (await places.find(key)) !== undefined,
    async read(key) {
      const session = await places.find(key);
      if (session === undefined) return undefined;
      const entries: HistoryEntry[] = [];
      for (let after = 0; ; ) {
        const { events } = await retryGateway(contact, (client) => client.events.list(session.id, { after }));
        entries.push(...events.flatMap(entryOf));
        const last = events.at(-1)?.number;
        if (last === undefined) {
          onRead(key, after);
          return entries;
        }
        after = last;
      }
    },
  };
}

function known(session: SessionView, places: SessionPlaces): KnownSession {
  const { title, updatedAt } = session;
  return { key: places.keyOf(session), title, updatedAt: new Date(updatedAt).toISOString() };
}

function entryOf({ event }: EventView): HistoryEntry[] {
  switch (event.type) {
    case 'user':
      return [{ type: 'input', text: event.text, attachments: event.attachments }];
    case 'notice':
    case 'dropped':
      return [];
    default:
      return [{ type: 'event', event }];
  }
}
