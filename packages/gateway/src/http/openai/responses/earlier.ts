import type { Event } from '@plugboard/host';
import type { Session, StoredTurn } from '@plugboard/store';
import type { RouteRequest } from '../../route.ts';
import { eventsOf } from '../../routes/turns.ts';
import { maySee } from '../../sight.ts';
import { isOwn } from '../asking/place.ts';
import { OpenaiProblem } from '../problem.ts';
import { failureOf } from '../turn/failure.ts';
import { originOf } from '../turn/hear.ts';
import { createTelling, tell } from '../turn/telling.ts';
import { wholeOutput } from './output.ts';
import { type Progress, type Status, turnIdOf } from './shape.ts';

/** An answer that was given before, and the session it was given in. */
export interface Earlier {
  readonly turn: StoredTurn;
  readonly session: Session;
}

/** Finds an answer by the id that it was given; those of other tokens are not there. */
export async function findEarlier(
  { gateway, principal }: Pick<RouteRequest, 'gateway' | 'principal'>,
  id: string,
): Promise<Earlier | undefined> {
  const turnId = turnIdOf(id);
  const turn = turnId === undefined ? undefined : await gateway.store.turns.get(turnId);
  if (turn === undefined) return undefined;
  const session = await gateway.store.sessions.get(turn.sessionId);
  if (session === undefined || !isOwn(session, principal)) return undefined;
  return (await maySee(gateway.store, principal, session)) ? { turn, session } : undefined;
}

/** The session that a request goes on in; throws when there is none, or when another agent answers there. */
export async function previousSession(
  request: Pick<RouteRequest, 'gateway' | 'principal'>,
  id: string,
  model: string,
): Promise<Session> {
  const earlier = await findEarlier(request, id);
  if (earlier === undefined) {
    throw new OpenaiProblem('invalid', `Previous response with id "${id}" not found.`, {
      code: 'previous_response_not_found',
      param: 'previous_response_id',
    });
  }
  const { agent } = earlier.session;
  if (agent === model) return earlier.session;
  const message = `That response is one of the model "${agent}", which alone remembers it.`;
  throw new OpenaiProblem('invalid', message, { code: 'invalid_value', param: 'model' });
}

const STATES: Readonly<Record<StoredTurn['state'], Status>> = {
  running: 'in_progress',
  success: 'completed',
  error: 'failed',
  timeout: 'failed',
  interrupted: 'failed',
  cancelled: 'cancelled',
};

/** Makes an answer anew from what the log says. */
export async function rebuild(
  request: Pick<RouteRequest, 'gateway' | 'incoming'>,
  turn: StoredTurn,
): Promise<Progress> {
  const telling = createTelling(false, originOf(request));
  for (const { event } of await eventsOf(request, turn)) tell(telling, event as unknown as Event);
  const status = STATES[turn.state];
  const cut = status === 'failed' || status === 'cancelled';
  const output = wholeOutput(turn.id, telling, cut ? 'incomplete' : status);
  if (turn.end === undefined) return { status, output };
  const problem = failureOf(turn.end);
  return { status, output, end: turn.end, ...(problem === undefined ? {} : { problem }) };
}
