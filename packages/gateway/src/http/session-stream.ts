import { reasonOf } from '@plugboard/protocol';
import type { Session, StoredEvent } from '@plugboard/store';
import type { Gateway } from '../gateway.ts';
import { readLogPage } from '../live/log-page.ts';
import { mayInspect } from './authorize.ts';
import { maySeeSession } from './resources.ts';
import type { RouteRequest } from './route.ts';
import { currentSession } from './status.ts';
import { type EventStream, encodeEvent, openEndless } from './stream.ts';
import { viewEvent, viewSession } from './views.ts';

/** Events and bytes of one read from the log: they stay in memory until the client has taken them. */
const PAGE = 512;
const PAGE_BYTES = 256 * 1024;

/** Bytes of one write. */
const SLICE_BYTES = 64 * 1024;

/** State of one client of a session stream. */
interface Reader {
  readonly gateway: Gateway;
  readonly sessionId: string;
  readonly stream: EventStream;
  readonly inspects: boolean;
  /** Number of the last event that was sent. */
  last: number;
  /** Whether the log is being read. Live events are ignored meanwhile, since the log contains them. */
  reading: boolean;
  /** Whether an event arrived after the current page was read. */
  behind: boolean;
}

type Listening = Pick<RouteRequest, 'gateway' | 'principal' | 'services' | 'outgoing'>;

/**
 * Streams the events of a session after `after`. It subscribes before it reads the log, so that no event is missed;
 * when numbers are not contiguous, the log is read again. Events that a slow client has not taken stay in the log, not
 * in memory.
 */
export function streamSession(listening: Listening, session: Session, after: number): void {
  const { gateway, principal, services, outgoing } = listening;
  const known = Number.isSafeInteger(after) && after >= 0 && after <= session.lastEvent;
  const unfollow = gateway.feed.follow(session.id, {
    onEvents: (events) => onEvents(reader, events),
    onStatus: () => void sendStatus(reader, listening),
  });
  const unwatchToken = services.tokenWatch.watch(principal, () => reader.stream.end());
  const onClose = (): void => {
    unfollow();
    unwatchToken();
  };
  const reader: Reader = {
    gateway,
    sessionId: session.id,
    stream: openEndless(outgoing, onClose, services.timing),
    inspects: mayInspect(principal),
    last: known ? after : session.lastEvent,
    reading: false,
    behind: false,
  };
  if (!known) reader.stream.send(Buffer.from(encodeEvent('resync', { last: session.lastEvent })));
  reader.stream.send(Buffer.from(encodeEvent('status', viewSession(gateway, session))));
  void catchUp(reader);
}

/** Cache of encoded batches: one for clients with the scope `inspect`, one for clients without it. */
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
  return encodeEvent('event', viewEvent(event, inspects), event.number);
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
      const page = await readLogPage(gateway.store, sessionId, {
        after: reader.last,
        limit: PAGE,
        bytes: PAGE_BYTES,
      });
      // Only an empty page is the end of the log.
      reader.behind ||= page.length > 0;
      await sendPage(reader, page);
    } while (reader.behind && stream.open);
  } catch (error) {
    // The client reconnects and continues after its last event.
    gateway.log.warn(`An event stream was ended: ${reasonOf(error)}`, {
      code: 'stream-failed',
      session: sessionId,
    });
    stream.end();
  } finally {
    reader.reading = false;
  }
}

/** Sends a page in slices of `SLICE_BYTES`, with back-pressure. */
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
 * Sends the session, and events that were logged without being published: the store itself writes `dropped`. Ends the
 * stream when the session got an agent that the token may not use.
 */
async function sendStatus(reader: Reader, listening: Listening): Promise<void> {
  const { gateway, sessionId, stream } = reader;
  const session = await currentSession(gateway, sessionId);
  if (session === undefined) return;
  if (!(await maySeeSession(listening, session))) return stream.end();
  stream.send(Buffer.from(encodeEvent('status', viewSession(gateway, session))));
  if (session.lastEvent <= reader.last) return;
  reader.behind = true;
  if (!reader.reading) void catchUp(reader);
}
