import type { Event } from '@plugboard/host';
import type { StoredTurn } from '@plugboard/store';
import type { Gateway } from '../../../gateway.ts';
import type { Asked } from '../asking/ask.ts';
import { OpenaiProblem } from '../problem.ts';
import { followLog } from './log.ts';

/** Steps of a turn: `begun`, then `said` for each event, the last of which is `end`. */
export type Step =
  | { readonly kind: 'begun'; readonly turn: StoredTurn }
  | { readonly kind: 'said'; readonly event: Event };

/** Yields the steps of the turn that answers a message, until its end or `signal`. */
export async function* followTurn(
  gateway: Gateway,
  asked: Asked,
  signal: AbortSignal,
): AsyncGenerator<Step, void> {
  const turn = await findTurn(gateway, asked, signal);
  if (turn === undefined) return;
  if (turn === 'dropped') {
    throw new OpenaiProblem('agent-failed', 'The message was dropped before the agent got to it.', {
      code: 'agent_cancelled',
    });
  }
  yield { kind: 'begun', turn };
  for await (const batch of followLog(gateway, asked.sessionId, asked.after, signal)) {
    for (const { turnId, event } of batch) {
      if (turnId !== turn.id || event.type === 'user' || event.type === 'notice' || event.type === 'dropped')
        continue;
      yield { kind: 'said', event };
      if (event.type === 'end') return;
    }
  }
}

/** Waits for the turn that takes a message. `dropped` when none will, undefined after `signal`. */
async function findTurn(
  gateway: Gateway,
  { sessionId, messageId, after }: Asked,
  signal: AbortSignal,
): Promise<StoredTurn | 'dropped' | undefined> {
  // `followLog` yields at each change of the session.
  for await (const _changed of followLog(gateway, sessionId, after, signal)) {
    const found = await findTurnOf(gateway, messageId);
    if (found !== 'waiting') return found;
  }
  return undefined;
}

/** An interrupted message waits again, or keeps the interrupted turn. */
async function findTurnOf(
  { store }: Gateway,
  messageId: string,
): Promise<StoredTurn | 'waiting' | 'dropped'> {
  const message = await store.inbox.get(messageId);
  if (message?.turnId !== undefined) return (await store.turns.get(message.turnId)) ?? 'dropped';
  return message?.state === 'waiting' ? 'waiting' : 'dropped';
}
