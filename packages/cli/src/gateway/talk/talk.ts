import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { type Accepted, type Commanded, isCommanded, type SessionView } from '@plugboard/client';
import { choicesText, readAnswer } from '../../conversation/questions.ts';
import { CommandFailure } from '../../failure.ts';
import { type Interruption, watchInterruption } from '../../signals.ts';
import { type Address, askGateway } from '../client.ts';
import { retryGateway } from '../contact.ts';
import { printSession, restartFollowing, waitUntilIdle } from './follow.ts';
import { createTalk, endTalk, printNote, showPrompt, type Talk } from './record.ts';

export interface TalkOptions {
  readonly agent?: string;
  /** A conversation that goes on the next time. */
  readonly session?: string;
  readonly verbose: boolean;
}

/** No retries in the client: `insist` retries, and looks up the gateway's address each time. */
const ONCE = { patienceMs: 0 };

/** Talks through a gateway until the person leaves; resolves to the exit code. */
export async function talkThrough(find: () => Address, options: TalkOptions): Promise<number> {
  // Before the keyboard is opened: lines that arrive before the `for await` would be lost.
  const session = await openSession(find(), options);
  const talk = createTalk(find, session, options.verbose);
  if (process.stdin.isTTY)
    printNote(talk, `Talking to ${session.agent} through ${find().url}. /help lists commands, /quit leaves.`);
  const interruption = readKeyboard(talk);
  let following = printSession(talk, session.id, session.lastEvent, talk.following.signal);
  showPrompt(talk);
  for await (const line of talk.keyboard) {
    if (/^\/(quit|exit)$/.test(line.trim())) talk.left = true;
    if (talk.left) break;
    // Piped input: `/new` and `/agent` wait for the answers to the lines before them.
    if (!process.stdin.isTTY && /^\/(new|agent)\b/.test(line.trim())) await waitUntilIdle(talk);
    if (line.trim() === '') showPrompt(talk);
    else if (await answerQuestion(talk, line)) showPrompt(talk);
    else if (await sendText(talk, line)) following = restartFollowing(talk, following);
  }
  // A user who quits does not wait; piped input waits for its answers.
  if (!interruption.signal.aborted && !talk.left && !process.stdin.isTTY) await waitUntilIdle(talk);
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
  const session = await askGateway(gateway, ({ sessions }) =>
    sessions.open({ channel: 'cli', place, ...chosen }),
  );
  if (agent === undefined || agent === session.agent) return session;
  return askGateway(gateway, ({ sessions }) => sessions.update(session.id, chosen));
}

function readKeyboard(talk: Talk): Interruption {
  const interruption = watchInterruption(() => process.exit(130));
  talk.keyboard.on('close', () => {
    talk.closed = true;
  });
  interruption.signal.addEventListener('abort', () => endTalk(talk));
  talk.keyboard.on('SIGINT', () => void stopOrLeave(talk));
  return interruption;
}

/** Takes a line as the answer to the question that is open; false when none is, or the line is a command. */
async function answerQuestion(talk: Talk, line: string): Promise<boolean> {
  const [asking] = talk.asking;
  if (asking === undefined || line.startsWith('/')) return false;
  const [id, question] = asking;
  const given = readAnswer(question, line);
  if (given === undefined) {
    printNote(talk, choicesText(question));
    return true;
  }
  try {
    await askGateway(talk.contact.find(), ({ asks }) => asks.answer(id, given));
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    printNote(talk, error.message);
  }
  return true;
}

/** Says a line; true when that moved us to another session. */
async function sendText(talk: Talk, text: string): Promise<boolean> {
  const { id } = talk.session;
  const message = { id: randomUUID(), text };
  const saying = retryGateway(talk.contact, ({ messages }) => messages.send(id, message, ONCE));
  talk.saying = saying
    .then((answer) => !isCommanded(answer) && talk.own.add(answer.messageId))
    .catch(() => {});
  try {
    return takeAnswer(talk, await saying);
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    printNote(talk, error.message);
    talk.failed = true;
    showPrompt(talk);
    return false;
  }
}

function takeAnswer(talk: Talk, answer: Accepted | Commanded): boolean {
  if (!isCommanded(answer)) {
    talk.session = { ...talk.session, state: 'queued' };
    return false;
  }
  const { reply, session } = answer;
  printNote(talk, reply);
  const moved = session.id !== talk.session.id;
  talk.session = session;
  showPrompt(talk);
  return moved;
}

/** A second one does not wait for the turn to end. */
async function stopOrLeave(talk: Talk): Promise<void> {
  if (talk.stopping) return endTalk(talk);
  talk.stopping = true;
  try {
    const { stopped } = await askGateway(talk.contact.find(), ({ sessions }) =>
      sessions.stop(talk.session.id),
    );
    if (!stopped) endTalk(talk);
  } catch {
    endTalk(talk);
  }
}
