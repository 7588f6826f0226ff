import type { Event } from '@plugboard/host';
import type { StoredTurn } from '@plugboard/store';
import type { Gateway } from '../../../gateway.ts';
import type { Asked } from '../asking/ask.ts';
import { OpenaiProblem } from '../problem.ts';
import { findTurn } from './find.ts';
import { followLog } from './log.ts';

/** How a turn goes: it begins, things are said, and the last of them is its end. */
export type Step =
  | { readonly kind: 'begun'; readonly turn: StoredTurn }
  | { readonly kind: 'said'; readonly event: Event };

/** Follows the turn that answers a message from its beginning to its end, or until the signal. */
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
