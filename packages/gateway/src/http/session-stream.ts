import { reasonOf } from '@plugboard/protocol';
import type { Session, StoredEvent } from '@plugboard/store';
import type { Gateway } from '../gateway.ts';
import { mayInspect } from './auth.ts';
import type { RouteRequest } from './route.ts';
import { maySee } from './sight.ts';
import { currentSession } from './status.ts';
import { type EventStream, encode, openEndless } from './stream.ts';
import { viewEvent, viewSession } from './views.ts';

/** Events read from the log at once, and how large they may be together: what a reader does not take is held that long. */
const PAGE = 512;
const PAGE_BYTES = 256 * 1024;

/** Written together. */
const SLICE_BYTES = 64 * 1024;

/** How far one reader of a session has come. */
interface Reader {
  readonly gateway: Gateway;
  readonly sessionId: string;
  readonly stream: EventStream;
  readonly inspects: boolean;
  /** The number of the last event sent. */
  last: number;
  /** The log is being read; what comes live meanwhile is in it. */
  reading: boolean;
  /** Something came that the page being read may not have held. */
  behind: boolean;
}

type Listening = Pick<RouteRequest, 'gateway' | 'principal' | 'desk' | 'outgoing'>;

/**
 * Streams a session from after a number on, for as long as somebody listens. It follows first and reads the log then, so
 * that nothing falls between; whenever numbers do not join up, the log is read again. What a slow reader has not taken
 * waits in the log, not in memory.
 */
export function streamSession(listening: Listening, session: Session, after: number): void {
  const { gateway, principal, desk, outgoing } = listening;
  const known = Number.isSafeInteger(after) && after >= 0 && after <= session.lastEvent;
  const unfollow = gateway.feed.follow(session.id, {
    onEvents: (events) => onEvents(reader, events),
    onStatus: () => void sendStatus(reader, listening),
  });
  const dismiss = desk.vigil.keep(principal, () => reader.stream.end());
  const onClose = (): void => {
    unfollow();
    dismiss();
  };
  const reader: Reader = {
    gateway,
    sessionId: session.id,
    stream: openEndless(outgoing, onClose, desk.timing),
    inspects: mayInspect(principal),
    last: known ? after : session.lastEvent,
    reading: false,
    behind: false,
  };
  if (!known) reader.stream.send(Buffer.from(encode('resync', { last: session.lastEvent })));
  reader.stream.send(Buffer.from(encode('status', viewSession(gateway, session))));
  void catchUp(reader);
}

/** Encoded batches, shared by all readers with the scope `inspect`, and by all without it. */
const forOperators = new WeakMap<readonly StoredEvent[], Buffer>();
const forOthers = new WeakMap<readonly StoredEvent[], Buffer>();

function encodeAll(events: readonly StoredEvent[], inspects: boolean): Buffer {
  const encoded = inspects ? forOperators : forOthers;
  const known = encoded.get(events);
  if (known !== undefined) return known;
  const bytes = Buffer.from(events.map((event) => encodeOne(event, inspects)).join(''));
  encoded.set(events, bytes);
  return bytes;
}

function encodeOne(event: StoredEvent, inspects: boolean): string {
  return encode('event', viewEvent(event, inspects), event.number);
}

function onEvents(reader: Reader, events: readonly StoredEvent[]): void {
  const first = events[0]?.number ?? 0;
  const last = events.at(-1)?.number ?? 0;
  if (last <= reader.last) return;
  const joinsUp = first === reader.last + 1 && last - first === events.length - 1;
  if (reader.reading || reader.stream.full || !joinsUp) {
    reader.behind = true;
    if (!reader.reading) void catchUp(reader);
    return;
  }
  reader.last = last;
  reader.stream.send(encodeAll(events, reader.inspects));
}

async function catchUp(reader: Reader): Promise<void> {
  const { gateway, sessionId, stream } = reader;
  reader.reading = true;
  try {
    do {
      reader.behind = false;
      if (stream.full) await stream.ready();
      const page = await gateway.store.log.read(sessionId, {
        after: reader.last,
        limit: PAGE,
        bytes: PAGE_BYTES,
      });
      // Only where nothing is left is the end.
      reader.behind ||= page.length > 0;
      await sendPage(reader, page);
    } while (reader.behind && stream.open);
  } catch (error) {
    // The reader comes back, and finds the log where it left it.
    gateway.log.warn(`A stream was cut: ${reasonOf(error)}`, { session: sessionId });
    stream.end();
  } finally {
    reader.reading = false;
  }
}

/** A page in slices, each once the reader has taken those before. */
async function sendPage(reader: Reader, page: readonly StoredEvent[]): Promise<void> {
  const { stream } = reader;
  let slice = '';
  for (const [at, event] of page.entries()) {
    const text = encodeOne(event, reader.inspects);
    slice += text;
    if (slice.length < SLICE_BYTES && at < page.length - 1) continue;
    reader.last = event.number;
    stream.send(Buffer.from(slice));
    slice = '';
    if (stream.full) await stream.ready();
    if (!stream.open) return;
  }
}

/**
 * Sends the session as it is now, and events that were logged without being published: `dropped` is written by the store itself.
 * Who may not talk to the agent that answers from now on does not hear it either.
 */
async function sendStatus(reader: Reader, { principal }: Listening): Promise<void> {
  const { gateway, sessionId, stream } = reader;
  const session = await currentSession(gateway, sessionId);
  if (session === undefined) return;
  if (!(await maySee(gateway.store, principal, session))) return stream.end();
  stream.send(Buffer.from(encode('status', viewSession(gateway, session))));
  if (session.lastEvent <= reader.last) return;
  reader.behind = true;
  if (!reader.reading) void catchUp(reader);
}
