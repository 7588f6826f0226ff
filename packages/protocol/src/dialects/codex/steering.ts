import type { HostEffect } from '../../contract/host-side.ts';
import { writeInput } from './input.ts';
import { type CodexHostState, type Conversation, callCodex, type RunningTurn } from './state.ts';
import { AGENT_METHODS } from './wire.ts';

/** Whether the running turn takes the first input that waits. An input with a `schema` waits for its own turn. */
export function canSteer(_state: CodexHostState, conversation: Conversation): boolean {
  return steerable(conversation) !== undefined;
}

function steerable({ turn, queue }: Conversation): (RunningTurn & { codexId: string }) | undefined {
  const [next] = queue;
  if (turn === undefined || next === undefined || next.isGiven || next.turn.schema !== undefined)
    return undefined;
  const { codexId, interrupted } = turn;
  if (codexId === undefined || interrupted) return undefined;
  return turn as RunningTurn & { codexId: string };
}

/** Gives the inputs that wait to the running turn. */
export function steer(state: CodexHostState, conversation: Conversation, out: HostEffect[]): void {
  const { key, sessionId: threadId = '', queue } = conversation;
  for (let turn = steerable(conversation); turn !== undefined; turn = steerable(conversation)) {
    const input = queue.shift();
    if (input === undefined) return;
    input.isGiven = true;
    out.push({ type: 'input', inputId: input.turn.id, state: 'given' });
    const params = { threadId, expectedTurnId: turn.codexId, input: writeInput(input.turn) };
    callCodex(state, { type: 'steer', key, input, turnId: turn.id }, AGENT_METHODS.steerTurn, params, out);
  }
}
