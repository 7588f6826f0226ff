import type { Event } from '@plugboard/protocol';
import { StoreError } from '../../../contract/errors.ts';
import type { EventLog, Noted } from '../../../contract/log.ts';
import type { Notice, StoredEvent } from '../../../contract/records.ts';
import { storableJson, storableText } from '../../../storable.ts';
import type { Context } from '../context.ts';
import { appendEvent } from '../statements/events/append.ts';
import { readEvents } from '../statements/events/read.ts';
import { addNotice } from '../statements/notices/add.ts';
import { findNotice } from '../statements/notices/find.ts';
import { advance } from '../statements/sessions/advance.ts';
import { theSession } from './sessions.ts';

/** The log of events of a store. */
export function createLog(context: Context): EventLog {
  const { connection, read, write } = context;
  return {
    read: (sessionId, page) => read(() => readEvents(connection, { sessionId, ...page })),
    note: (sessionId, notice) => write(() => note(context, sessionId, notice)),
  };
}

function note(context: Context, sessionId: string, given: Parameters<EventLog['note']>[1]): Noted {
  const id = storableText(given.id);
  const known = findNotice(context.connection, id);
  if (known !== undefined) {
    return { event: eventAt(context, known.session_id, known.number), duplicate: true };
  }
  const number = append(context, sessionId, id, given.event);
  return { event: eventAt(context, sessionId, number), duplicate: false };
}

function append({ connection, now }: Context, sessionId: string, id: string, event: Event | Notice): number {
  const { seq: session, last_event } = theSession(connection, sessionId);
  const number = last_event + 1;
  appendEvent(connection, { session, number, turn: null, at: now(), body: storableJson(event) });
  addNotice(connection, { id, session, number });
  advance(connection, session, number);
  return number;
}

function eventAt({ connection }: Context, sessionId: string, number: number): StoredEvent {
  const [event] = readEvents(connection, { sessionId, after: number - 1, limit: 1 });
  if (event === undefined)
    throw new StoreError('not-found', `The session ${sessionId} has no event ${number}.`);
  return event;
}
