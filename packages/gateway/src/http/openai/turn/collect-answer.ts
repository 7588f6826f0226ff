import type { End } from '@plugboard/host';
import type { StoredTurn } from '@plugboard/store';
import type { Gateway } from '../../../gateway.ts';
import type { RouteRequest } from '../../route.ts';
import type { Asked } from '../asking/ask.ts';
import { abandonTurn } from './abandon.ts';
import { addEvent, createAnswerText, type Piece } from './answer-text.ts';
import { failureOf } from './failure.ts';
import { followTurn } from './follow.ts';

/** Callbacks during an answer. */
export interface Listener {
  begun?(turn: StoredTurn): void;
  said?(piece: Piece): void;
}

/** A finished answer. */
export interface TurnAnswer {
  readonly turn: StoredTurn;
  readonly text: string;
  readonly thinking: string;
  readonly end: End;
}

export interface AnswerContext extends Pick<RouteRequest, 'gateway' | 'incoming'> {
  readonly asked: Asked;
  /** Aborted when the client disconnects. */
  readonly gone: AbortSignal;
  /** Whether `said` gets deltas; otherwise it gets whole messages. */
  readonly live: boolean;
}

/**
 * Collects the answer to a message; throws a `Problem` when the agent failed. Undefined when the client has
 * disconnected: the turn is then stopped, unless the request is `keyed`.
 */
export async function collectAnswer(
  context: AnswerContext,
  listener: Listener = {},
): Promise<TurnAnswer | undefined> {
  const { gateway, asked, gone } = context;
  const answerText = createAnswerText(context.live, originOf(context));
  let turn: StoredTurn | undefined;
  for await (const step of followTurn(gateway, asked, gone)) {
    if (step.kind === 'begun') {
      turn = step.turn;
      listener.begun?.(turn);
      continue;
    }
    const { event } = step;
    for (const piece of addEvent(answerText, event)) listener.said?.(piece);
    if (event.type !== 'end' || turn === undefined) continue;
    const failure = failureOf(event);
    if (failure !== undefined) throw failure;
    asked.answered(answerText.text);
    return { turn, text: answerText.text, thinking: answerText.thinking, end: event };
  }
  if (!asked.keyed) abandonTurn(gateway, asked);
  return undefined;
}

/** Base URL of media links: `publicUrl`, or the `Host` of the request. */
export function originOf({
  gateway,
  incoming,
}: Pick<RouteRequest, 'incoming'> & { gateway: Gateway }): string {
  const { publicUrl } = gateway.config.server;
  return publicUrl === undefined ? `http://${incoming.headers.host ?? ''}` : new URL(publicUrl).origin;
}
