import type { Session } from '@plugboard/store';
import { API_CHANNEL } from '../../../sessions/brief-session.ts';
import { findResource, maySeeSession } from '../../resources.ts';
import type { RouteRequest } from '../../route.ts';
import type { Continuations, Pair } from '../conversation/continuations.ts';
import { fingerprintBefore } from '../conversation/continuations.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { Extent } from '../conversation/words.ts';
import { OpenaiProblem } from '../problem.ts';
import type { RequestKey } from './key.ts';
import { keyedPlace, namedPlace, newPlace } from './place.ts';

type Asking = Pick<RouteRequest, 'gateway' | 'principal'>;

/** A question with its agent and the choice of its session. */
export interface Question {
  readonly pair: Pair;
  readonly conversation: Conversation;
  /** Session name from the client. */
  readonly sessionName: string | undefined;
  /** Session of `previous_response_id`. */
  readonly previous?: Session | undefined;
  readonly key: RequestKey | undefined;
}

/** The session for a question, and how much of the conversation its agent must be told. */
export interface SessionChoice {
  readonly session: Session;
  readonly extent: Extent;
  /** Whether only this request knows the session. */
  readonly alone: boolean;
  /** Makes the continuation available again when the question was not admitted. */
  undo?(): void;
}

/**
 * Finds the session of a question: `previous`, the named one, one whose conversation matches by `fingerprintBefore`, or
 * a new one.
 */
export async function chooseSession(
  asking: Asking,
  continuations: Continuations,
  { pair, conversation, sessionName, previous, key }: Question,
): Promise<SessionChoice> {
  if (previous !== undefined) return { session: previous, extent: 'whole', alone: false };
  if (sessionName !== undefined) {
    const session = await openPlace(asking, pair, namedPlace(pair, sessionName));
    return { session, extent: session.lastEvent === 0 ? 'opening' : 'last', alone: false };
  }
  // `keyedPlace` is derived from the key, so that a repeated request finds the session after a restart too.
  if (key !== undefined) {
    return {
      session: await openPlace(asking, pair, keyedPlace(pair, key.hash)),
      extent: 'whole',
      alone: false,
    };
  }
  const known = await findContinuation(asking, continuations, pair, conversation);
  return known ?? { session: await openPlace(asking, pair, newPlace(pair)), extent: 'whole', alone: true };
}

async function findContinuation(
  asking: Asking,
  continuations: Continuations,
  pair: Pair,
  conversation: Conversation,
): Promise<SessionChoice | undefined> {
  const fingerprint = fingerprintBefore(pair, conversation);
  const sessionId = fingerprint === undefined ? undefined : continuations.take(fingerprint);
  if (fingerprint === undefined || sessionId === undefined) return undefined;
  const session = await findResource(asking, 'session', sessionId);
  if (session === undefined || session.closed || session.agent !== pair.model) return undefined;
  const undo = (): void => continuations.keep(fingerprint, sessionId);
  return { session, extent: 'last', alone: false, undo };
}

async function openPlace(asking: Asking, { model }: Pair, place: string): Promise<Session> {
  const { store, feed } = asking.gateway;
  const session = await store.sessions.open({ channel: API_CHANNEL, place, agent: model });
  if (session.agent !== model || !(await maySeeSession(asking, session))) {
    // The message omits the name of the agent, which the token may not be allowed to know.
    const answers = session.agent === model ? 'has answered, too' : 'answers now';
    const message = `In this session another agent ${answers}. Name another session.`;
    throw new OpenaiProblem('conflict', message, { code: 'session_agent_changed', param: 'model' });
  }
  feed.changed(session.id);
  return session;
}
