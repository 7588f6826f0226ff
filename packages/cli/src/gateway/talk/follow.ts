import type { Event } from '@plugboard/protocol';
import { reasonOf } from '@plugboard/protocol';
import { insist } from '../contact.ts';
import { followSession } from '../events.ts';
import { invite, leave, note, type SessionView, type Talk } from './record.ts';

type Logged =
  | Event
  | { readonly type: 'user'; readonly messageId: string; readonly text: string; readonly sender: string }
  | { readonly type: 'notice'; readonly text: string };

/** Leaves the old session in this instant: what is said next is the new one's. */
export function restart(talk: Talk, before: Promise<void>): Promise<void> {
  talk.following.abort();
  talk.following = new AbortController();
  talk.shown = talk.session.lastEvent;
  const { session, shown, following } = talk;
  return before.then(() => follow(talk, session.id, shown, following.signal));
}

/** Shows what happens in a session until it is left. */
export async function follow(
  talk: Talk,
  sessionId: string,
  after: number,
  signal: AbortSignal,
): Promise<void> {
  try {
    for await (const { event, id, data } of followSession(talk.contact, sessionId, after, signal)) {
      if (signal.aborted) return;
      if (event === 'status') settle(talk, data as SessionView);
      if (event !== 'event') continue;
      await show(talk, (data as { event: Logged }).event);
      if (!signal.aborted) talk.shown = id ?? talk.shown;
      tellRest(talk);
    }
  } catch (error) {
    note(talk, reasonOf(error));
    talk.failed = true;
    leave(talk);
  }
}

async function show(talk: Talk, event: Logged): Promise<void> {
  if (event.type === 'user') {
    await talk.saying;
    if (!talk.own.has(event.messageId)) note(talk, `${event.sender}: ${event.text}`);
    return;
  }
  if (event.type === 'notice') return note(talk, event.text);
  await talk.printer.print(event.type === 'message' ? withAddresses(talk, event) : event);
  if (event.type !== 'end') return;
  talk.failed = event.outcome !== 'success';
  talk.stopping = false;
  talk.printer.finish();
  invite(talk);
}

/** The files of the gateway are at an address of its own. */
function withAddresses({ contact }: Talk, event: Event & { type: 'message' }): Event {
  const media = event.media.map((file) =>
    file.url?.startsWith('/') ? { ...file, url: `${contact.find().url}${file.url}` } : file,
  );
  return { ...event, media };
}

/** The state comes apart from the events: at rest is who has shown everything there is. */
function settle(talk: Talk, session: SessionView): void {
  talk.session = session;
  if (session.state === 'queued' && session.position !== null)
    note(talk, `Number ${session.position} in the line.`);
  tellRest(talk);
}

function tellRest({ session, shown, onRest }: Talk): void {
  if (session.state === 'idle' && session.waiting === 0 && shown >= session.lastEvent) onRest?.();
}

/** Waits until everything that was said has been answered. */
export async function rest(talk: Talk): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  talk.onRest = resolve;
  settle(talk, await insist<SessionView>(talk.contact, 'GET', `/api/sessions/${talk.session.id}`));
  await promise;
}
