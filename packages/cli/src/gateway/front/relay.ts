import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { History, OpenRelay, Relay } from '@plugboard/agent';
import { type EventView, isCommanded } from '@plugboard/client';
import {
  type AgentEffect,
  type AgentInput,
  type Answer,
  type Attachment,
  reasonOf,
  type SessionRef,
  type Turn,
} from '@plugboard/protocol';
import type { Address } from '../client.ts';
import { type Contact, retryGateway } from '../contact.ts';
import { followSession } from '../events.ts';
import { createHistory } from './history.ts';
import { createSessionPlaces, type SessionPlaces } from './session-places.ts';
import {
  createSessionTurns,
  openTurns,
  readEntry,
  readStatus,
  type SessionTurns,
  unknownTurn,
} from './session-turns.ts';

/** A session of the gateway that the front has opened. */
interface OpenSession {
  readonly key: string;
  readonly id: string;
  readonly turns: SessionTurns;
  /** Settles with the last message that was sent: its `user` event may come before the answer with its id. */
  sending: Promise<void>;
  title: string;
  /** The values that the gateway was told last. */
  options: string;
  readonly following: AbortController;
}

interface GatewayFront {
  readonly contact: Contact;
  readonly places: SessionPlaces;
  readonly tell: (input: AgentInput) => Promise<void>;
  readonly log: (text: string) => void;
  /** By the key of the front. */
  readonly sessions: Map<string, Promise<OpenSession>>;
  /** The number of the last event that the front has read, by the key of the front. */
  readonly read: Map<string, number>;
  isGone: boolean;
}

/** A front whose turns go to a running gateway, where other people and devices share its sessions. */
export function frontOfGateway(
  find: () => Address,
  agent: string | undefined,
  log: (text: string) => void,
): { readonly relay: Relay; readonly history: History } {
  const contact: Contact = { find, onAway: logFirst(log) };
  const places = createSessionPlaces(contact, agent);
  const read = new Map<string, number>();
  return {
    history: createHistory(contact, places, (key, last) => void read.set(key, last)),
    relay(tell): OpenRelay {
      const front: GatewayFront = {
        contact,
        places,
        tell,
        log,
        read,
        sessions: new Map(),
        isGone: false,
      };
      const { promise: done, resolve } = Promise.withResolvers<void>();
      return {
        done,
        take(request) {
          if (request.type !== 'input-end' && request.type !== 'stop') return takeRequest(front, request);
          // The gateway goes on with its turns: the answers are there when the session is loaded again.
          front.isGone = true;
          for (const opened of front.sessions.values())
            void opened.then(({ following }) => following.abort()).catch(() => {});
          resolve();
        },
      };
    },
  };
}

/** Logs one reason until the gateway is reachable again: each request and each stream calls `onAway` with its own. */
function logFirst(log: (text: string) => void): Contact['onAway'] {
  let isAway = false;
  return (reason) => {
    if (reason !== undefined && !isAway) log(reason);
    isAway = reason !== undefined;
  };
}

function takeRequest(front: GatewayFront, request: AgentEffect | { readonly type: 'give-up' }): void {
  switch (request.type) {
    case 'open-session':
      return void openForHost(front, request.session);
    case 'close-session':
      return closeSession(front, request.sessionKey);
    case 'turn':
      return void takeTurn(front, request.turn);
    case 'answer':
      return void answer(front, request.askId, request.answer);
    case 'interrupt':
      // An editor that closes its end interrupts every turn: those are left to the gateway.
      return void setImmediate(() => front.isGone || void stop(front, request.turnId));
    default:
  }
}

function sessionOf(front: GatewayFront, key: string): Promise<OpenSession> {
  const known = front.sessions.get(key);
  if (known !== undefined) return known;
  const opened = openSession(front, key);
  front.sessions.set(key, opened);
  opened.catch(() => front.sessions.delete(key));
  return opened;
}

async function openSession(front: GatewayFront, key: string): Promise<OpenSession> {
  const { id, lastEvent, title } = await front.places.open(key);
  const session: OpenSession = {
    key,
    id,
    turns: createSessionTurns(),
    sending: Promise.resolve(),
    title,
    options: '',
    following: new AbortController(),
  };
  void follow(front, session, front.read.get(key) ?? lastEvent);
  return session;
}

/** Opens a session before its first turn, and tells what its agent offers. */
async function openForHost(front: GatewayFront, { key }: SessionRef): Promise<void> {
  try {
    const { id } = await sessionOf(front, key);
    const offered = await retryGateway(front.contact, ({ sessions }) => sessions.options(id));
    await front.tell({
      type: 'event',
      turnId: undefined,
      sessionKey: key,
      event: { type: 'options', ...offered },
    });
    await front.tell({ type: 'session-opened', sessionKey: key });
  } catch (error) {
    const failure = { message: reasonOf(error), code: 'gateway' };
    await front.tell({ type: 'session-opened', sessionKey: key, failure });
  }
}

function closeSession({ sessions }: GatewayFront, key: string): void {
  void sessions.get(key)?.then(({ following }) => following.abort());
  sessions.delete(key);
}

/** Passes the log on to the front, from the event after `after`. */
async function follow(front: GatewayFront, session: OpenSession, after: number): Promise<void> {
  const { key, id, turns, following } = session;
  try {
    for await (const step of followSession(front.contact, id, after, following.signal)) {
      if (following.signal.aborted) return;
      await session.sending;
      if (step.type === 'event') await readStep(front, session, step.view);
      if (step.type === 'status')
        for (const input of readStatus(turns, step.session)) await front.tell(withSession(input, key));
      if (step.type !== 'status' || step.session.title === session.title) continue;
      session.title = step.session.title;
      const event = { type: 'session-info', title: session.title } as const;
      await front.tell({ type: 'event', turnId: undefined, sessionKey: key, event });
    }
  } catch (error) {
    front.log(reasonOf(error));
    for (const turnId of openTurns(turns)) await endWith(front, turnId, reasonOf(error));
    front.sessions.delete(key);
  }
}

async function readStep(front: GatewayFront, { key, turns }: OpenSession, view: EventView): Promise<void> {
  const unknown = unknownTurn(turns, view);
  const turn =
    unknown === undefined
      ? undefined
      : await retryGateway(front.contact, (client) => client.turns.get(unknown));
  for (const input of readEntry(turns, view, turn?.messageId ?? null))
    await front.tell(withSession(input, key));
}

function withSession(input: AgentInput, sessionKey: string): AgentInput {
  return input.type === 'event' ? { ...input, sessionKey } : input;
}

async function endWith(front: GatewayFront, turnId: string, message: string): Promise<void> {
  const error = { message, code: 'gateway' };
  await front.tell({ type: 'event', turnId, event: { type: 'end', outcome: 'error', text: '', error } });
}

async function takeTurn(front: GatewayFront, turn: Turn): Promise<void> {
  try {
    const session = await sessionOf(front, turn.session.key);
    // One message after the other: the gateway answers them in the order in which they come.
    const sent = session.sending.then(() => send(front, session, turn));
    session.sending = sent.catch(() => {});
    await sent;
  } catch (error) {
    await endWith(front, turn.id, reasonOf(error));
  }
}

async function send(front: GatewayFront, session: OpenSession, turn: Turn): Promise<void> {
  const { contact } = front;
  await setOptions(front, session, turn.session.options ?? {});
  const { text, attachments } = await uploadFiles(front, session, turn);
  const message = { id: randomUUID(), text, attachments };
  const answered = await retryGateway(contact, ({ messages }) => messages.send(session.id, message));
  if (!isCommanded(answered)) {
    session.turns.sent.set(answered.messageId, { turnId: turn.id, number: answered.number });
    return;
  }
  const reply = { type: 'message', text: answered.reply, media: [] } as const;
  await front.tell({ type: 'event', turnId: turn.id, event: reply });
  const end = { type: 'end', outcome: 'success', text: answered.reply } as const;
  await front.tell({ type: 'event', turnId: turn.id, event: end });
}

async function setOptions(
  { contact }: GatewayFront,
  session: OpenSession,
  options: NonNullable<SessionRef['options']>,
): Promise<void> {
  const wanted = JSON.stringify(options);
  if (wanted === '{}' || wanted === session.options) return;
  await retryGateway(contact, ({ sessions }) => sessions.update(session.id, { options }));
  session.options = wanted;
}

/** Local files are uploaded; addresses follow the text. */
async function uploadFiles(
  { contact }: GatewayFront,
  { id }: OpenSession,
  turn: Turn,
): Promise<{ text: string; attachments: { media: string }[] }> {
  const attachments: { media: string }[] = [];
  const links: string[] = [];
  for (const file of turn.attachments) {
    if (file.path === undefined) links.push(file.url ?? '');
    else attachments.push({ media: (await upload(contact, id, file, file.path)).id });
  }
  return { text: [turn.text, ...links].filter((line) => line !== '').join('\n'), attachments };
}

function upload(contact: Contact, sessionId: string, file: Attachment, path: string) {
  const body = new Uint8Array(readFileSync(path));
  const name = file.name ?? basename(path);
  return retryGateway(contact, ({ media }) => media.upload(sessionId, { name, body }));
}

/** The first answer counts: another person may have been faster, or may still answer what was cancelled here. */
async function answer({ contact, sessions }: GatewayFront, askId: string, given: Answer): Promise<void> {
  for (const opened of sessions.values()) (await opened).turns.asks.delete(askId);
  const { option, text, data } = given;
  if (option === undefined && text === undefined && data === undefined) return;
  const fields = {
    ...(option === undefined ? {} : { option }),
    ...(text === undefined ? {} : { text }),
    ...(data === undefined ? {} : { data }),
  };
  await retryGateway(contact, ({ asks }) => asks.answer(askId, fields)).catch(() => {});
}

/** Stops the turn, and the messages that wait: the front interrupts them all. */
async function stop(front: GatewayFront, turnId: string | undefined): Promise<void> {
  for (const opened of front.sessions.values()) {
    const { id, turns, sending } = await opened;
    await sending;
    if (turnId !== undefined && !openTurns(turns).includes(turnId)) continue;
    await retryGateway(front.contact, ({ sessions }) => sessions.stop(id)).catch((error) =>
      front.log(reasonOf(error)),
    );
  }
}
