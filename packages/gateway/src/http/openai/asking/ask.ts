import { randomUUID } from 'node:crypto';
import type { Session } from '@plugboard/store';
import type { Received } from '../../../channels/channel.ts';
import { receiveIn } from '../../../sessions/receive.ts';
import { Problem } from '../../problem.ts';
import type { RouteRequest } from '../../route.ts';
import { refusal } from '../../routes/messages.ts';
import { type Continuations, fingerprintAfter } from '../conversation/continuations.ts';
import { type Words, wordsFor } from '../conversation/words.ts';
import { keepFiles } from './files.ts';
import { noteKey } from './key.ts';
import { findSeat, type Question, type Seat } from './seat.ts';

/** A message that was taken in, and how to find its answer. */
export interface Asked {
  readonly sessionId: string;
  readonly messageId: string;
  /** The answer stands in the log after this number. */
  readonly after: number;
  /** The turn of another message that this one was taken into. */
  readonly turnId: string | undefined;
  /** Nobody else knows of the session. */
  readonly alone: boolean;
  /** The client can come back for the answer. */
  readonly keyed: boolean;
  /** To be told the answer: from then on the session can be continued by sending it back. */
  answered(text: string): void;
}

type Asking = Pick<RouteRequest, 'gateway' | 'principal'>;

/** Asks an agent, in the session where the question belongs. Settles when the question is kept; rejects with a problem. */
export async function ask(request: Asking, continuations: Continuations, question: Question): Promise<Asked> {
  const { pair, conversation, key } = question;
  const seat = await findSeat(request.gateway, continuations, question);
  try {
    const { session, after } = await sessionFor(request, seat, question);
    const words = wordsFor(conversation, seat.extent);
    const received = await send(request, session, words, key?.hash ?? randomUUID());
    return {
      sessionId: session.id,
      messageId: received.messageId,
      after: after ?? received.number ?? 0,
      turnId: received.turnId,
      alone: seat.alone,
      keyed: key !== undefined,
      answered(text) {
        if (isWhole(question)) continuations.keep(fingerprintAfter(pair, conversation, text), session.id);
      },
    };
  } catch (error) {
    seat.leave?.();
    throw error;
  }
}

/** Whether the request tells all that was said in the session. */
function isWhole({ previous, sessionName }: Question): boolean {
  return previous === undefined && sessionName === undefined;
}

/** With a key, the session where it was used first: the client may have ended that one meanwhile. */
async function sessionFor(
  { gateway }: Asking,
  { session }: Seat,
  { key }: Question,
): Promise<{ readonly session: Session; readonly after?: number }> {
  if (key === undefined) return { session };
  const noted = await noteKey(gateway, session, key);
  const first = noted.sessionId === session.id ? session : await gateway.store.sessions.get(noted.sessionId);
  return { session: first ?? session, after: noted.number };
}

async function send(
  { gateway, principal }: Asking,
  session: Session,
  { text, files }: Words,
  messageId: string,
): Promise<Extract<Received, { kind: 'message' }>> {
  const received = await receiveIn(gateway.engine, session, {
    place: session.place,
    messageId,
    text,
    // Programs have no need of the commands of the gateway: what begins like one is the agent's.
    plain: true,
    attachments: await keepFiles(gateway, session, files),
    sender: principal.name,
    principal: `token:${principal.id}`,
  });
  if (received.kind === 'refused') throw refusal(received);
  if (received.kind === 'command') throw new Problem('failed', 'A message was taken for a command.');
  return received;
}
