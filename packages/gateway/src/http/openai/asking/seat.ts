import type { Session } from '@plugboard/store';
import type { Gateway } from '../../../gateway.ts';
import { API_CHANNEL } from '../../../sessions/brief-session.ts';
import type { Continuations, Pair } from '../conversation/continuations.ts';
import { fingerprintBefore } from '../conversation/continuations.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { Extent } from '../conversation/words.ts';
import { OpenaiProblem } from '../problem.ts';
import type { RequestKey } from './key.ts';
import { keyedPlace, namedPlace, newPlace } from './place.ts';

/** What is asked, of whom, and where. */
export interface Question {
  readonly pair: Pair;
  readonly conversation: Conversation;
  /** The name that the client has given to a session. */
  readonly sessionName: string | undefined;
  /** The session of an earlier answer that this goes on from. */
  readonly previous?: Session | undefined;
  readonly key: RequestKey | undefined;
}

/** The session in which a question is asked. */
export interface Seat {
  readonly session: Session;
  readonly extent: Extent;
  /** Nobody else knows of this session. */
  readonly alone: boolean;
  /** Gives back what was taken, when nothing was asked after all. */
  leave?(): void;
}

/** Finds the session for a question: the one it names, the one that has come exactly so far, or a new one. */
export async function findSeat(
  gateway: Gateway,
  continuations: Continuations,
  { pair, conversation, sessionName, previous, key }: Question,
): Promise<Seat> {
  if (previous !== undefined) return { session: previous, extent: 'whole', alone: false };
  if (sessionName !== undefined) {
    const session = await open(gateway, pair, namedPlace(pair, sessionName));
    return { session, extent: session.lastEvent === 0 ? 'opening' : 'last', alone: false };
  }
  // A key finds its session again by itself, also after a restart.
  if (key !== undefined) {
    return { session: await open(gateway, pair, keyedPlace(pair, key.hash)), extent: 'whole', alone: false };
  }
  const known = await continued(gateway, continuations, pair, conversation);
  return known ?? { session: await open(gateway, pair, newPlace(pair)), extent: 'whole', alone: true };
}

async function continued(
  { store }: Gateway,
  continuations: Continuations,
  pair: Pair,
  conversation: Conversation,
): Promise<Seat | undefined> {
  const fingerprint = fingerprintBefore(pair, conversation);
  const sessionId = fingerprint === undefined ? undefined : continuations.take(fingerprint);
  if (fingerprint === undefined || sessionId === undefined) return undefined;
  const session = await store.sessions.get(sessionId);
  if (session === undefined || session.closed || session.agent !== pair.model) return undefined;
  const leave = (): void => continuations.keep(fingerprint, sessionId);
  return { session, extent: 'last', alone: false, leave };
}

async function open({ store, feed }: Gateway, { model }: Pair, place: string): Promise<Session> {
  const session = await store.sessions.open({ channel: API_CHANNEL, place, agent: model });
  if (session.agent !== model) {
    // By which name is not for every token to know.
    const message = 'In this session another agent answers now. Name another session.';
    throw new OpenaiProblem('conflict', message, { code: 'session_agent_changed', param: 'model' });
  }
  feed.changed(session.id);
  return session;
}
