import { randomUUID } from 'node:crypto';
import type { Session } from '@plugboard/store';
import type { Received } from '../../../channels/channel.ts';
import { receiveIn } from '../../../sessions/receive.ts';
import { Problem } from '../../problem.ts';
import type { RouteRequest } from '../../route.ts';
import { refusalProblem } from '../../routes/messages.ts';
import { type Continuations, fingerprintAfter } from '../conversation/continuations.ts';
import { type Words, wordsFor } from '../conversation/words.ts';
import { keepFiles } from './files.ts';
import { noteKey } from './key.ts';
import { chooseSession, type Question, type SessionChoice } from './session-choice.ts';

/** An admitted message, and the position of its answer. */
export interface Asked {
  readonly sessionId: string;
  readonly messageId: string;
  /** The answer is in the log after this event number. */
  readonly after: number;
  /** Whether only this request knows the session, which it opened. */
  readonly alone: boolean;
  /** Whether the client can retry with its `Idempotency-Key` and get the same answer. */
  readonly keyed: boolean;
  /** Must be called with the answer: it lets the client continue the session by sending the answer back. */
  answered(text: string): void;
}

type Asking = Pick<RouteRequest, 'gateway' | 'principal'>;

/** Admits the question to its session. Settles when it is committed; rejects with a `Problem`. */
export async function admitQuestion(
  request: Asking,
  continuations: Continuations,
  question: Question,
): Promise<Asked> {
  const { pair, conversation, key } = question;
  const choice = await chooseSession(request, continuations, question);
  try {
    const { session, after } = await sessionFor(request, choice, question);
    const words = wordsFor(conversation, choice.extent);
    const received = await admitMessage(request, session, words, key?.hash ?? randomUUID());
    return {
      sessionId: session.id,
      messageId: received.messageId,
      after: after ?? received.number ?? 0,
      alone: choice.alone,
      keyed: key !== undefined,
      answered(text) {
        if (isWhole(question)) continuations.keep(fingerprintAfter(pair, conversation, text), session.id);
      },
    };
  } catch (error) {
    choice.undo?.();
    throw error;
  }
}

/** Whether the request contains the whole conversation. */
function isWhole({ previous, sessionName }: Question): boolean {
  return previous === undefined && sessionName === undefined;
}

/** For a repeated `Idempotency-Key`, the session of its first use, which may be closed since. */
async function sessionFor(
  { gateway }: Asking,
  { session }: SessionChoice,
  { key }: Question,
): Promise<{ readonly session: Session; readonly after?: number }> {
  if (key === undefined) return { session };
  const noted = await noteKey(gateway, session, key);
  const first = noted.sessionId === session.id ? session : await gateway.store.sessions.get(noted.sessionId);
  return { session: first ?? session, after: noted.number };
}

async function admitMessage(
  { gateway, principal }: Asking,
  session: Session,
  { text, files }: Words,
  messageId: string,
): Promise<Extract<Received, { kind: 'message' }>> {
  const received = await receiveIn(gateway.engine, session, {
    place: session.place,
    messageId,
    text,
    // `plain`: a text that starts with `/` is for the agent, because API clients have no slash commands.
    plain: true,
    attachments: await keepFiles(gateway, session, files),
    sender: principal.name,
    principal: `token:${principal.id}`,
  });
  if (received.kind === 'refused') throw refusalProblem(received);
  if (received.kind === 'command') throw new Problem('failed', 'A message was taken for a command.');
  return received;
}
