import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { createInterface, type Interface } from 'node:readline';
import type { Event } from '@plugboard/protocol';
import { CommandFailure } from '../failure.ts';
import { createPrinter, type Printer } from '../screen/printer.ts';
import { safe } from '../screen/safe.ts';
import { type Style, styleFor } from '../screen/style.ts';
import { type Interruption, watchInterruption } from '../signals.ts';
import { type Address, request } from './client.ts';
import { type Contact, insist } from './contact.ts';
import { followSession } from './events.ts';

export interface TalkOptions {
  readonly agent?: string;
  /** A conversation that goes on the next time. */
  readonly session?: string;
  readonly verbose: boolean;
}

interface SessionView {
  readonly id: string;
  readonly agent: string;
  readonly lastEvent: number;
  readonly state: string;
  readonly waiting: number;
  readonly position: number | null;
}

type Logged =
  | Event
  | { readonly type: 'user'; readonly messageId: string; readonly text: string; readonly sender: string }
  | { readonly type: 'notice'; readonly text: string };

/** What the gateway makes of a line: a message, or a command that it has obeyed. */
interface Said {
  readonly messageId?: string;
  readonly reply?: string;
  readonly session?: SessionView;
}

/** A conversation through a gateway. */
interface Talk {
  readonly contact: Contact;
  readonly keyboard: Interface;
  readonly style: Style;
  readonly printer: Printer;
  session: SessionView;
  /** Ends the stream of the session that was left. */
  following: AbortController;
  /** Messages of ours: they are on the screen already. */
  readonly own: Set<string>;
  /** Settles when the line on its way has arrived: its event may be here before the answer that names it. */
  saying: Promise<unknown>;
  /** The number of the last event that was shown. */
  shown: number;
  /** The running turn was asked to stop. */
  stopping: boolean;
  failed: boolean;
  /** Nothing more is waited for: the person has left, or the gateway has turned us away. */
  left: boolean;
  onRest: (() => void) | undefined;
  /** No more will be typed. */
  closed: boolean;
}

/** Talks through a gateway until the person leaves; resolves to the exit code. */
export async function talkThrough(find: () => Address, options: TalkOptions): Promise<number> {
  // First: what is typed while nobody reads it would be lost.
  const session = await openSession(find(), options);
  const talk = createTalk(find, session, options.verbose);
  if (process.stdin.isTTY)
    note(talk, `Talking to ${session.agent} through ${find().url}. /help lists commands, /quit leaves.`);
  const interruption = listen(talk);
  let following = follow(talk, session.id, session.lastEvent, talk.following.signal);
  invite(talk);
  for await (const line of talk.keyboard) {
    if (/^\/(quit|exit)$/.test(line.trim())) talk.left = true;
    if (talk.left) break;
    // Nobody pipes in a question to leave before it is answered.
    if (!process.stdin.isTTY && /^\/(new|agent)\b/.test(line.trim())) await rest(talk);
    if (line.trim() === '') invite(talk);
    else if (await say(talk, line)) following = restart(talk, following);
  }
  // A person who leaves need not wait; what was piped in is to be answered.
  if (!interruption.signal.aborted && !talk.left && !process.stdin.isTTY) await rest(talk);
  talk.following.abort();
  await following;
  talk.printer.finish();
  talk.keyboard.close();
  interruption.dispose();
  return interruption.exitCode ?? (talk.failed && !process.stdin.isTTY ? 1 : 0);
}

async function openSession(gateway: Address, { agent, session: key }: TalkOptions): Promise<SessionView> {
  const place = `${userInfo().username}:${key ?? randomUUID()}`;
  const chosen = agent === undefined ? {} : { agent };
  const session = await request<SessionView>(gateway, 'POST', '/api/sessions', {
    channel: 'cli',
    place,
    ...chosen,
  });
  if (agent === undefined || agent === session.agent) return session;
  return request(gateway, 'PATCH', `/api/sessions/${session.id}`, chosen);
}

function createTalk(find: () => Address, session: SessionView, verbose: boolean): Talk {
  const style = styleFor(process.stderr);
  const tell = (text: string): void => void process.stderr.write(`${style.dim(safe(text))}\n`);
  let away = false;
  return {
    contact: {
      find,
      onAway(reason) {
        // Told once, although several requests may find out.
        if (away !== (reason !== undefined)) tell(reason ?? 'The gateway is back.');
        away = reason !== undefined;
      },
    },
    keyboard: createInterface({ input: process.stdin, output: process.stderr, prompt: '> ' }),
    style,
    printer: createPrinter({ json: false, verbose, hideStderr: true, spinner: false }),
    session,
    following: new AbortController(),
    own: new Set(),
    saying: Promise.resolve(),
    shown: session.lastEvent,
    stopping: false,
    failed: false,
    left: false,
    onRest: undefined,
    closed: false,
  };
}

function listen(talk: Talk): Interruption {
  const interruption = watchInterruption(() => process.exit(130));
  talk.keyboard.on('close', () => {
    talk.closed = true;
  });
  interruption.signal.addEventListener('abort', () => leave(talk));
  talk.keyboard.on('SIGINT', () => void stopOrLeave(talk));
  return interruption;
}

function leave(talk: Talk): void {
  talk.left = true;
  talk.keyboard.close();
  talk.onRest?.();
}

/** Says a line; true when that moved us to another session. */
async function say(talk: Talk, text: string): Promise<boolean> {
  const path = `/api/sessions/${talk.session.id}/messages`;
  const saying = insist<Said>(talk.contact, 'POST', path, { id: randomUUID(), text });
  talk.saying = saying.then(({ messageId }) => talk.own.add(messageId ?? '')).catch(() => {});
  try {
    return hear(talk, await saying);
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    note(talk, error.message);
    talk.failed = true;
    invite(talk);
    return false;
  }
}

function hear(talk: Talk, { reply, session }: Said): boolean {
  if (reply === undefined || session === undefined) {
    talk.session = { ...talk.session, state: 'queued' };
    return false;
  }
  note(talk, reply);
  const moved = session.id !== talk.session.id;
  talk.session = session;
  invite(talk);
  return moved;
}

/** Leaves the old session in this instant: what is said next is the new one's. */
function restart(talk: Talk, before: Promise<void>): Promise<void> {
  talk.following.abort();
  talk.following = new AbortController();
  talk.shown = talk.session.lastEvent;
  const { session, shown, following } = talk;
  return before.then(() => follow(talk, session.id, shown, following.signal));
}

async function follow(talk: Talk, sessionId: string, after: number, signal: AbortSignal): Promise<void> {
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
    note(talk, error instanceof Error ? error.message : String(error));
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
async function rest(talk: Talk): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  talk.onRest = resolve;
  settle(talk, await insist<SessionView>(talk.contact, 'GET', `/api/sessions/${talk.session.id}`));
  await promise;
}

/** A second one does not wait for the turn to end. */
async function stopOrLeave(talk: Talk): Promise<void> {
  if (talk.stopping) return leave(talk);
  talk.stopping = true;
  const path = `/api/sessions/${talk.session.id}/stop`;
  try {
    const { stopped } = await request<{ stopped: boolean }>(talk.contact.find(), 'POST', path, {});
    if (!stopped) leave(talk);
  } catch {
    leave(talk);
  }
}

function invite({ keyboard, closed }: Talk): void {
  if (!closed && process.stdin.isTTY) keyboard.prompt();
}

function note({ style }: Talk, text: string): void {
  process.stderr.write(`${style.dim(safe(text))}\n`);
}
