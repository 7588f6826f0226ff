import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { CommandFailure } from '../../failure.ts';
import { type Interruption, watchInterruption } from '../../signals.ts';
import { type Address, request } from '../client.ts';
import { insist } from '../contact.ts';
import { follow, rest, restart } from './follow.ts';
import { createTalk, invite, leave, note, type SessionView, type Talk } from './record.ts';

export interface TalkOptions {
  readonly agent?: string;
  /** A conversation that goes on the next time. */
  readonly session?: string;
  readonly verbose: boolean;
}

/** What the gateway makes of a line: a message, or a command that it has obeyed. */
interface Said {
  readonly messageId?: string;
  readonly reply?: string;
  readonly session?: SessionView;
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

function listen(talk: Talk): Interruption {
  const interruption = watchInterruption(() => process.exit(130));
  talk.keyboard.on('close', () => {
    talk.closed = true;
  });
  interruption.signal.addEventListener('abort', () => leave(talk));
  talk.keyboard.on('SIGINT', () => void stopOrLeave(talk));
  return interruption;
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
