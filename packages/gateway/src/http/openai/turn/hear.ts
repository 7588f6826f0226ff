import type { End } from '@plugboard/host';
import type { StoredTurn } from '@plugboard/store';
import type { Gateway } from '../../../gateway.ts';
import type { RouteRequest } from '../../route.ts';
import type { Asked } from '../asking/ask.ts';
import { abandon } from './abandon.ts';
import { failureOf } from './failure.ts';
import { followTurn } from './follow.ts';
import { createTelling, type Piece, tell } from './telling.ts';

/** Takes an answer as it comes. */
export interface Listener {
  begun?(turn: StoredTurn): void;
  said?(piece: Piece): void;
}

/** A whole answer. */
export interface Heard {
  readonly turn: StoredTurn;
  readonly text: string;
  readonly thinking: string;
  readonly end: End;
}

export interface Hearing extends Pick<RouteRequest, 'gateway' | 'incoming'> {
  readonly asked: Asked;
  /** Aborted when the client goes. */
  readonly gone: AbortSignal;
  /** Pieces of messages are wanted as they come. */
  readonly live: boolean;
}

/**
 * Hears the answer to a message to its end; throws a problem when the agent failed. Undefined when the client has gone:
 * then the turn is stopped, unless the client can come back for it with its key.
 */
export async function hear(hearing: Hearing, listener: Listener = {}): Promise<Heard | undefined> {
  const { gateway, asked, gone } = hearing;
  const telling = createTelling(hearing.live, originOf(hearing));
  let turn: StoredTurn | undefined;
  for await (const step of followTurn(gateway, asked, gone)) {
    if (step.kind === 'begun') {
      turn = step.turn;
      listener.begun?.(turn);
      continue;
    }
    const { event } = step;
    for (const piece of tell(telling, event)) listener.said?.(piece);
    if (event.type !== 'end' || turn === undefined) continue;
    const failure = failureOf(event);
    if (failure !== undefined) throw failure;
    asked.answered(telling.text);
    return { turn, text: telling.text, thinking: telling.thinking, end: event };
  }
  if (!asked.keyed) abandon(gateway, asked);
  return undefined;
}

/** What the client calls this gateway: its files are to be found there. */
export function originOf({
  gateway,
  incoming,
}: Pick<RouteRequest, 'incoming'> & { gateway: Gateway }): string {
  const { publicUrl } = gateway.config.server;
  return publicUrl === undefined ? `http://${incoming.headers.host ?? ''}` : new URL(publicUrl).origin;
}
