import type { Event } from '@plugboard/host';
import type { Session, StoredTurn } from '@plugboard/store';
import { findResource } from '../../resources.ts';
import type { RouteRequest } from '../../route.ts';
import { eventsOf } from '../../routes/turns.ts';
import { OpenaiProblem } from '../problem.ts';
import { addEvent, createAnswerText } from '../turn/answer-text.ts';
import { originOf } from '../turn/collect-answer.ts';
import { failureOf } from '../turn/failure.ts';
import { wholeOutput } from './output.ts';
import type { Progress, Status } from './shape.ts';

/** The session of `previous_response_id`. Throws when it does not exist or has another agent. */
export async function previousSession(
  request: Pick<RouteRequest, 'gateway' | 'principal'>,
  id: string,
  model: string,
): Promise<Session> {
  const earlier = await findResource(request, 'response', id);
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

/** Rebuilds an answer from the log. */
export async function rebuildAnswer(
  request: Pick<RouteRequest, 'gateway' | 'incoming'>,
  turn: StoredTurn,
): Promise<Progress> {
  const answerText = createAnswerText(false, originOf(request));
  for (const { event } of await eventsOf(request, turn)) addEvent(answerText, event as unknown as Event);
  const status = STATES[turn.state];
  const cut = status === 'failed' || status === 'cancelled';
  const output = wholeOutput(turn.id, answerText, cut ? 'incomplete' : status);
  if (turn.end === undefined) return { status, output };
  const problem = failureOf(turn.end);
  return { status, output, end: turn.end, ...(problem === undefined ? {} : { problem }) };
}
