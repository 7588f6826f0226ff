import type { ServerResponse } from 'node:http';
import type { Session, StoredEvent } from '@plugboard/store';
import type { Gateway } from '../gateway.ts';
import { reasonOf } from '../log.ts';
import { type EventStream, encode, openStream } from './stream.ts';
import { viewEvent, viewSession } from './views.ts';

const PAGE = 500;

/** How far one reader of a session has come. */
interface Reader {
  readonly gateway: Gateway;
  readonly sessionId: string;
  readonly stream: EventStream;
  /** The number of the last event sent. */
  last: number;
  /** The log is being read; what comes live meanwhile is in it. */
  reading: boolean;
  /** Something came that the page being read may not have held. */
  behind: boolean;
}

/**
 * Streams a session from after a number on, for as long as somebody listens. It follows first and reads the log then, so
 * that nothing falls between; whenever numbers do not join up, the log is read again.
 */
export function streamSession(
  gateway: Gateway,
  session: Session,
  outgoing: ServerResponse,
  after: number,
): void {
  const known = Number.isSafeInteger(after) && after >= 0 && after <= session.lastEvent;
  const unfollow = gateway.feed.follow(session.id, {
    onEvents: (events) => onEvents(reader, events),
    onStatus: () => void sendStatus(reader),
  });
  const reader: Reader = {
    gateway,
    sessionId: session.id,
    stream: openStream(outgoing, unfollow),
    last: known ? after : session.lastEvent,
    reading: false,
    behind: false,
  };
  if (!known) reader.stream.send(Buffer.from(encode('resync', { last: session.lastEvent })));
  reader.stream.send(Buffer.from(encode('status', viewSession(gateway, session))));
  void catchUp(reader);
}

/** What many readers are sent alike is encoded once. */
const encoded = new WeakMap<readonly StoredEvent[], Buffer>();

function encodeAll(events: readonly StoredEvent[]): Buffer {
  const known = encoded.get(events);
  if (known !== undefined) return known;
  const bytes = Buffer.from(events.map((event) => encode('event', viewEvent(event), event.number)).join(''));
  encoded.set(events, bytes);
  return bytes;
}

function onEvents(reader: Reader, events: readonly StoredEvent[]): void {
  const first = events[0]?.number ?? 0;
  const last = events.at(-1)?.number ?? 0;
  if (last <= reader.last) return;
  const joinsUp = first === reader.last + 1 && last - first === events.length - 1;
  if (reader.reading || !joinsUp) {
    reader.behind = true;
    if (!reader.reading) void catchUp(reader);
    return;
  }
  reader.last = last;
  reader.stream.send(encodeAll(events));
}

async function catchUp(reader: Reader): Promise<void> {
  const { gateway, sessionId, stream } = reader;
  reader.reading = true;
  try {
    do {
      reader.behind = false;
      const page = await gateway.store.log.read(sessionId, { after: reader.last, limit: PAGE });
      const last = page.at(-1)?.number;
      if (last === undefined) continue;
      reader.last = last;
      stream.send(encodeAll(page));
      reader.behind ||= page.length === PAGE;
    } while (reader.behind && stream.open);
  } catch (error) {
    // The reader comes back, and finds the log where it left it.
    gateway.log.warn(`A stream was cut: ${reasonOf(error)}`, { session: sessionId });
    stream.end();
  } finally {
    reader.reading = false;
  }
}

async function sendStatus({ gateway, sessionId, stream }: Reader): Promise<void> {
  const session = await gateway.store.sessions.get(sessionId).catch(() => undefined);
  if (session !== undefined) stream.send(Buffer.from(encode('status', viewSession(gateway, session))));
}
