import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { createInterface, type Interface } from 'node:readline';
import type { Event } from '@plugboard/protocol';
import { createPrinter, type Printer } from '../screen/printer.ts';
import { safe } from '../screen/safe.ts';
import { type Style, styleFor } from '../screen/style.ts';
import { watchInterruption } from '../signals.ts';
import { type Address, request } from './client.ts';
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

/** A conversation through a gateway. */
interface Talk {
  readonly gateway: Address;
  readonly options: TalkOptions;
  readonly keyboard: Interface;
  readonly style: Style;
  readonly printer: Printer;
  session: SessionView;
  /** Ends the stream of the session that was left. */
  following: AbortController;
  /** Messages of ours: they are on the screen already. */
  readonly own: Set<string>;
  /** The number of the last event that was shown. */
  shown: number;
  failed: boolean;
  /** The gateway has turned us away. */
  lost: boolean;
  onRest: (() => void) | undefined;
  /** No more will be typed. */
  closed: boolean;
}

/** Talks through a gateway until the person leaves; resolves to the exit code. */
export async function talkThrough(gateway: Address, options: TalkOptions): Promise<number> {
  // First: what is typed while nobody reads it would be lost.
  const session = await openSession(gateway, options);
  const keyboard = createInterface({ input: process.stdin, output: process.stderr, prompt: '> ' });
  const talk: Talk = {
    gateway,
    options,
    keyboard,
    style: styleFor(process.stderr),
    printer: createPrinter({ json: false, verbose: options.verbose, hideStderr: true, spinner: false }),
    session,
    following: new AbortController(),
    own: new Set(),
    shown: session.lastEvent,
    failed: false,
    lost: false,
    onRest: undefined,
    closed: false,
  };
  if (process.stdin.isTTY)
    note(talk, `Talking to ${session.agent} through ${gateway.url}. /help lists commands, /quit leaves.`);
  const interruption = watchInterruption(() => process.exit(130));
  keyboard.on('close', () => {
    talk.closed = true;
  });
  interruption.signal.addEventListener('abort', () => {
    keyboard.close();
    talk.onRest?.();
  });
  keyboard.on('SIGINT', () => void stopOrLeave(talk));
  let following = follow(talk);
  invite(talk);
  for await (const line of keyboard) {
    if (/^\/(quit|exit)$/.test(line.trim())) break;
    if (line.trim() === '') continue;
    if (await say(talk, line)) following = restart(talk, following);
  }
  if (!interruption.signal.aborted && !talk.lost) await rest(talk);
  talk.following.abort();
  await following;
  talk.printer.finish();
  keyboard.close();
  interruption.dispose();
  return interruption.exitCode ?? (talk.failed && !process.stdin.isTTY ? 1 : 0);
}

async function openSession(gateway: Address, { agent, session }: TalkOptions): Promise<SessionView> {
  const place = `${userInfo().username}:${session ?? randomUUID()}`;
  return request(gateway, 'POST', '/api/sessions', {
    channel: 'cli',
    place,
    ...(agent === undefined ? {} : { agent }),
  });
}

/** Says a line; true when that moved us to another session. */
async function say(talk: Talk, text: string): Promise<boolean> {
  const path = `/api/sessions/${talk.session.id}/messages`;
  const answer = await request<{
    messageId?: string;
    number?: number | null;
    reply?: string;
    session?: SessionView;
  }>(talk.gateway, 'POST', path, { id: randomUUID(), text });
  if (answer.reply === undefined || answer.session === undefined) {
    if (answer.messageId !== undefined) talk.own.add(answer.messageId);
    talk.session = { ...talk.session, state: 'queued' };
    return false;
  }
  note(talk, answer.reply);
  const moved = answer.session.id !== talk.session.id;
  talk.session = answer.session;
  return moved;
}

async function restart(talk: Talk, before: Promise<void>): Promise<void> {
  talk.following.abort();
  await before;
  talk.following = new AbortController();
  talk.shown = talk.session.lastEvent;
  return follow(talk);
}

async function follow(talk: Talk): Promise<void> {
  const { gateway, session, following } = talk;
  try {
    for await (const { event, id, data } of followSession(
      gateway,
      session.id,
      talk.shown,
      following.signal,
    )) {
      if (event === 'status') settle(talk, data as SessionView);
      if (event !== 'event') continue;
      await show(talk, (data as { event: Logged }).event);
      talk.shown = id ?? talk.shown;
      tellRest(talk);
    }
  } catch (error) {
    note(talk, error instanceof Error ? error.message : String(error));
    talk.failed = true;
    talk.lost = true;
    talk.keyboard.close();
    talk.onRest?.();
  }
}

async function show(talk: Talk, event: Logged): Promise<void> {
  if (event.type === 'user') {
    if (!talk.own.has(event.messageId)) note(talk, `${event.sender}: ${event.text}`);
    return;
  }
  if (event.type === 'notice') return note(talk, event.text);
  await talk.printer.print(event);
  if (event.type !== 'end') return;
  talk.failed = event.outcome !== 'success';
  talk.printer.finish();
  invite(talk);
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
  settle(talk, await request<SessionView>(talk.gateway, 'GET', `/api/sessions/${talk.session.id}`));
  await promise;
}

async function stopOrLeave(talk: Talk): Promise<void> {
  const path = `/api/sessions/${talk.session.id}/stop`;
  const { stopped } = await request<{ stopped: boolean }>(talk.gateway, 'POST', path, {}).catch(() => ({
    stopped: false,
  }));
  if (!stopped) talk.keyboard.close();
}

function invite({ keyboard, closed }: Talk): void {
  if (!closed) keyboard.prompt();
}

function note({ style }: Talk, text: string): void {
  process.stderr.write(`${style.dim(safe(text))}\n`);
}
