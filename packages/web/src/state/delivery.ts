import {
  type Accepted,
  backoff,
  type Commanded,
  createId,
  type EventView,
  isCommanded,
  isPassing,
  type MediaView,
} from '@plugboard/client';
import type { Attachment } from '@plugboard/protocol';
import { gateway } from '../api/gateway.ts';
import { describeError, isFault, isLoggedOut, isUnreached } from '../api/request.ts';
import { waitForChance } from '../api/wait.ts';
import { isOwnMedia } from '../markdown/address.ts';
import { app, goTo, logOut } from './app.ts';
import type { Said } from './entry.ts';
import { tabKeep } from './keep.ts';
import {
  acknowledgeMessage,
  changeOutgoing,
  deserializeOutbox,
  isCommand,
  nextToSend,
  type Outgoing,
  removeEchoed,
  serializeOutbox,
} from './outbox.ts';
import { nameSession, noteSession } from './sessions.ts';

const PLACE = 'plugboard.outbox';
/** Maximum number of attempts at a message that the gateway answers with 500; after that the user decides. */
const MOST_FAULTS = 4;
/** No retries in the client: `sendOutbox` retries. */
const ONCE = { patienceMs: 0 };
/** `sendOutbox` runs until the page is unloaded. */
const forever = new AbortController().signal;

let busy = false;

function setOutbox(next: (list: readonly Outgoing[]) => readonly Outgoing[]): void {
  app.update((now) => ({ ...now, outbox: next(now.outbox) }));
  tabKeep.write(PLACE, serializeOutbox(app.get().outbox));
}

/** Restores the outbox from `tabKeep` after a reload, and continues to send it. */
export function resumeDelivery(): void {
  setOutbox((list) => [
    ...deserializeOutbox(tabKeep.read(PLACE)).filter(({ id }) => !list.some((item) => item.id === id)),
    ...list,
  ]);
  sendOutbox();
}

export function sendMessage(sessionId: string, text: string, attachments: readonly MediaView[]): void {
  const id = createId();
  const known = { messageId: null, echoed: false, problem: null };
  const item = { id, sessionId, text, attachments, at: Date.now(), state: 'sending', ...known } as const;
  setOutbox((list) => [...list, item]);
  sendOutbox();
}

/** Sends a dropped message again, as a new message with a new id. */
export function sendDropped(sessionId: string, { text, attachments }: Said): void {
  sendMessage(sessionId, text, attachments.flatMap(toMedia));
}

/** Files are known by their address; a file of another host cannot be sent by its id. */
function toMedia({ kind, url = '', name = '' }: Attachment): MediaView[] {
  const id = isOwnMedia(url) ? url.split('/').at(-1) : undefined;
  return id === undefined ? [] : [{ id, name, kind, url, type: '', size: 0 }];
}

export function sendAgain(id: string): void {
  setOutbox((list) => changeOutgoing(list, id, { state: 'sending', problem: null }));
  sendOutbox();
}

export function discardMessage(id: string): void {
  setOutbox((list) => list.filter((item) => item.id !== id));
}

/** Ids of all messages whose `user` event was received. */
const heard = new Set<string>();

/** Removes messages from the outbox whose `user` event has arrived, and asides whose text has arrived as a `notice`. */
export function confirmMessages(sessionId: string, views: readonly EventView[], live: boolean): void {
  const said = views.flatMap(({ event }) => (event.type === 'user' ? [event] : []));
  const noticed = new Set(views.flatMap(({ event }) => (event.type === 'notice' ? [event.text] : [])));
  for (const { messageId } of said) heard.add(messageId);
  if (said.length > 0 && app.get().outbox.length > 0)
    setOutbox((list) => removeEchoed(list, sessionId, said, live));
  if (noticed.size > 0 && app.get().asides.length > 0) {
    app.update((now) => ({ ...now, asides: now.asides.filter(({ text }) => !noticed.has(text)) }));
  }
}

/** Sends the outbox one message after the other, so that messages arrive in the order in which they were written. */
async function sendOutbox(): Promise<void> {
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
    takeAnswer(item, await gateway.messages.send(sessionId, { id, text, attachments }, ONCE));
    return null;
  } catch (error) {
    if (isLoggedOut(error)) {
      logOut();
      return error;
    }
    const unreached = isUnreached(error);
    const again = !isCommand(item) && isPassing(error) && (retryFault || !isFault(error));
    const problem = unreached && again ? null : describeError(error);
    setOutbox((list) => changeOutgoing(list, id, { state: again ? 'waiting' : 'failed', problem }));
    return again ? error : null;
  }
}

function takeAnswer(item: Outgoing, answer: Accepted | Commanded): void {
  if (!isCommanded(answer)) {
    setOutbox((list) => acknowledgeMessage(list, item.id, answer.messageId, heard));
    if (answer.number === 1) nameSession(item.sessionId, item.text);
    return;
  }
  discardMessage(item.id);
  noteSession(answer.session);
  const aside = { key: item.id, sessionId: answer.session.id, text: answer.reply };
  app.update((now) => ({ ...now, asides: [...now.asides, aside].slice(-20) }));
  const { route } = app.get();
  if (answer.session.id !== item.sessionId && route.at === 'session' && route.id === item.sessionId) {
    goTo({ at: 'session', id: answer.session.id });
  }
}
