import type { EventView, SessionView } from '@plugboard/client';
import type { Event } from '@plugboard/protocol';
import { reasonOf } from '@plugboard/protocol';
import { askEndText, questionText } from '../../conversation/questions.ts';
import { retryGateway } from '../contact.ts';
import { followSession } from '../events.ts';
import { endTalk, printNote, showPrompt, type Talk } from './record.ts';

/** Aborts the old session synchronously, so that the next message goes to the new session. */
export function restartFollowing(talk: Talk, before: Promise<void>): Promise<void> {
  talk.following.abort();
  talk.following = new AbortController();
  talk.shown = talk.session.lastEvent;
  const { session, shown, following } = talk;
  return before.then(() => printSession(talk, session.id, shown, following.signal));
}

/** Prints the events of a session until `signal` aborts. */
export async function printSession(
  talk: Talk,
  sessionId: string,
  after: number,
  signal: AbortSignal,
): Promise<void> {
  try {
    for await (const step of followSession(talk.contact, sessionId, after, signal)) {
      if (signal.aborted) return;
      if (step.type === 'status') updateSession(talk, step.session);
      if (step.type !== 'event') continue;
      await printEvent(talk, step.view.event);
      if (!signal.aborted) talk.shown = step.view.number;
      noticeIdle(talk);
    }
  } catch (error) {
    printNote(talk, reasonOf(error));
    talk.failed = true;
    endTalk(talk);
  }
}

async function printEvent(talk: Talk, event: EventView['event']): Promise<void> {
  if (event.type === 'user') {
    await talk.saying;
    if (!talk.own.has(event.messageId)) printNote(talk, `${event.sender}: ${event.text}`);
    return;
  }
  if (event.type === 'notice') return printNote(talk, event.text);
  if (event.type === 'dropped') return;
  await talk.printer.print(event.type === 'message' ? withAddresses(talk, event) : event);
  if (event.type === 'ask') {
    talk.asking.set(event.id, event.question);
    printNote(talk, questionText(event.question));
    showPrompt(talk);
  }
  if (event.type === 'ask-ended') {
    talk.asking.delete(event.id);
    printNote(talk, askEndText(event));
  }
  if (event.type !== 'end') return;
  talk.failed = event.outcome !== 'success';
  talk.stopping = false;
  talk.printer.finish();
  showPrompt(talk);
}

/** Media URLs of the gateway are relative: prefix them with its address. */
function withAddresses({ contact }: Talk, event: Event & { type: 'message' }): Event {
  const media = event.media.map((file) =>
    file.url?.startsWith('/') ? { ...file, url: `${contact.find().url}${file.url}` } : file,
  );
  return { ...event, media };
}

/**
 * Takes over the session's state, which arrives separately from its events; `noticeIdle` also waits until all events are
 * shown.
 */
function updateSession(talk: Talk, session: SessionView): void {
  talk.session = session;
  if (session.state === 'queued' && session.position !== null)
    printNote(talk, `Number ${session.position} in the line.`);
  noticeIdle(talk);
}

function noticeIdle({ session, shown, onRest }: Talk): void {
  if (session.state === 'idle' && session.waiting === 0 && shown >= session.lastEvent) onRest?.();
}

/** Waits until all messages of this session are answered. */
export async function waitUntilIdle(talk: Talk): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  talk.onRest = resolve;
  const { id } = talk.session;
  updateSession(talk, await retryGateway(talk.contact, ({ sessions }) => sessions.get(id)));
  await promise;
}
