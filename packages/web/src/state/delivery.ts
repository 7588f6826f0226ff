import type { Attachment } from '@plugboard/protocol';
import { backoff } from '../api/backoff.ts';
import { gateway } from '../api/gateway.ts';
import { isFault, isLoggedOut, isPassing, isUnreached, sentence } from '../api/request.ts';
import type { Accepted, Commanded, EventView, MediaView } from '../api/shapes.ts';
import { waitForChance } from '../api/wait.ts';
import { isOwnMedia } from '../markdown/address.ts';
import { uniqueId } from '../text/unique.ts';
import { app, go, logOut } from './app.ts';
import type { Said } from './entry.ts';
import { tabKeep } from './keep.ts';
import {
  acknowledge,
  change,
  deserialize,
  isCommand,
  isCommanded,
  nextToSend,
  type Outgoing,
  serialize,
  settle,
} from './outbox.ts';
import { nameSession, noteSession } from './sessions.ts';

const PLACE = 'plugboard.outbox';
/** How often a message is sent that the gateway answers with 500; then the person decides. */
const MOST_FAULTS = 4;
/** Delivering goes on as long as the page does. */
const forever = new AbortController().signal;

let busy = false;

function setOutbox(next: (list: readonly Outgoing[]) => readonly Outgoing[]): void {
  app.update((now) => ({ ...now, outbox: next(now.outbox) }));
  tabKeep.write(PLACE, serialize(app.get().outbox));
}

/** Takes up what a reload has interrupted. */
export function resumeDelivery(): void {
  setOutbox((list) => [
    ...deserialize(tabKeep.read(PLACE)).filter(({ id }) => !list.some((item) => item.id === id)),
    ...list,
  ]);
  deliver();
}

export function send(sessionId: string, text: string, attachments: readonly MediaView[]): void {
  const id = uniqueId();
  const known = { messageId: null, echoed: false, problem: null };
  const item = { id, sessionId, text, attachments, at: Date.now(), state: 'sending', ...known } as const;
  setOutbox((list) => [...list, item]);
  deliver();
}

/** Sends a message that was dropped once more, as a new one. */
export function sendDropped(sessionId: string, { text, attachments }: Said): void {
  send(sessionId, text, attachments.flatMap(toMedia));
}

/** Files are known by their address; a file of another host cannot be sent by its id. */
function toMedia({ kind, url = '', name = '' }: Attachment): MediaView[] {
  const id = isOwnMedia(url) ? url.split('/').at(-1) : undefined;
  return id === undefined ? [] : [{ id, name, kind, url, type: '', size: 0 }];
}

export function sendAgain(id: string): void {
  setOutbox((list) => change(list, id, { state: 'sending', problem: null }));
  deliver();
}

export function discard(id: string): void {
  setOutbox((list) => list.filter((item) => item.id !== id));
}

/** Every message whose event has been seen. */
const heard = new Set<string>();

/** What came back as an event is not on its way any more, and a notice that was logged needs no aside. */
export function confirm(sessionId: string, views: readonly EventView[], live: boolean): void {
  const said = views.flatMap(({ event }) => (event.type === 'user' ? [event] : []));
  const noticed = new Set(views.flatMap(({ event }) => (event.type === 'notice' ? [event.text] : [])));
  for (const { messageId } of said) heard.add(messageId);
  if (said.length > 0 && app.get().outbox.length > 0)
    setOutbox((list) => settle(list, sessionId, said, live));
  if (noticed.size > 0 && app.get().asides.length > 0) {
    app.update((now) => ({ ...now, asides: now.asides.filter(({ text }) => !noticed.has(text)) }));
  }
}

/** Sends what is there, one after the other: the order in which it was written is the order in which it arrives. */
async function deliver(): Promise<void> {
  if (busy) return;
  busy = true;
  for (let attempt = 0, faults = 0; ; ) {
    const item = nextToSend(app.get().outbox);
    if (item === undefined || app.get().login === 'out') break;
    const error = await tryOnce(item, faults + 1 < MOST_FAULTS);
    attempt = error === null ? 0 : attempt + 1;
    faults = isFault(error) ? faults + 1 : 0;
    if (error !== null) await waitForChance(backoff(attempt), forever, { turnedAway: !isUnreached(error) });
  }
  busy = false;
}

/** `null` when the message is settled, one way or the other; else why it has to be sent again. */
async function tryOnce(item: Outgoing, retryFault: boolean): Promise<unknown> {
  const { id, sessionId, text } = item;
  try {
    const attachments = item.attachments.map((media) => ({ media: media.id }));
    takeAnswer(item, await gateway.send(sessionId, { id, text, attachments }));
    return null;
  } catch (error) {
    if (isLoggedOut(error)) {
      logOut();
      return error;
    }
    const unreached = isUnreached(error);
    const again = !isCommand(item) && isPassing(error) && (retryFault || !isFault(error));
    const problem = unreached && again ? null : sentence(error);
    setOutbox((list) => change(list, id, { state: again ? 'waiting' : 'failed', problem }));
    return again ? error : null;
  }
}

function takeAnswer(item: Outgoing, answer: Accepted | Commanded): void {
  if (!isCommanded(answer)) {
    setOutbox((list) => acknowledge(list, item.id, answer.messageId, heard));
    if (answer.number === 1) nameSession(item.sessionId, item.text);
    return;
  }
  discard(item.id);
  noteSession(answer.session);
  const aside = { key: item.id, sessionId: answer.session.id, text: answer.reply };
  app.update((now) => ({ ...now, asides: [...now.asides, aside].slice(-20) }));
  const { route } = app.get();
  if (answer.session.id !== item.sessionId && route.at === 'session' && route.id === item.sessionId) {
    go({ at: 'session', id: answer.session.id });
  }
}
