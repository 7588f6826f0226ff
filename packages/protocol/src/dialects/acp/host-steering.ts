import type { HostEffect } from '../../contract/host-side.ts';
import { type AcpHostState, type Conversation, callAgent } from './host-state.ts';
import { promptOf } from './host-turns.ts';
import { AGENT_METHODS } from './wire.ts';

/** Whether the running turn takes the first input that waits. An input that the agent has refused waits for its own turn. */
export function canSteer({ agent, stage }: AcpHostState, { turn, queue: [next] }: Conversation): boolean {
  if (!agent.canSteer || stage !== 'ready' || next === undefined || next.isGiven) return false;
  return turn?.interrupted === false && turn.end === undefined;
}

/** Gives the inputs that wait to the running turn. The agent refuses them where the turn has just ended. */
export function steer(state: AcpHostState, conversation: Conversation, out: HostEffect[]): void {
  const { key, sessionId = '', queue, turn } = conversation;
  while (turn !== undefined && canSteer(state, conversation)) {
    const input = queue.shift();
    if (input === undefined) return;
    input.isGiven = true;
    out.push({ type: 'input', inputId: input.turn.id, state: 'given' });
    const params = {
      sessionId,
      prompt: promptOf(state, input.turn),
      _meta: { steering: { idleBehavior: 'promptRequired' } },
    };
    callAgent(state, { type: 'steer', key, input, turnId: turn.id }, AGENT_METHODS.steer, params, out);
  }
}
