import { isObject } from '../../framing/json.ts';
import type { AgentSide, ControlReply } from '../dialect.ts';
import { readRequest } from './request.ts';
import { createSaying, type SayingState, say, saySystem } from './saying.ts';

/** What an agent process remembers for as long as it lives. */
export interface NuumAgentState extends SayingState {
  readonly nextTurnId: () => string;
  /** Nothing has been read yet: a byte order mark may come. */
  atStart: boolean;
}

export const nuumAgent: AgentSide<NuumAgentState> = {
  recognises: (value) => isObject(value) && (value.type === 'user' || value.type === 'control'),
  initial: (context) => ({ ...createSaying(), nextTurnId: context.nextTurnId, atStart: true }),
  begin: () => {},
  readsInput: () => true,
  step(state, line, out) {
    const text = state.atStart && line.startsWith('\uFEFF') ? line.slice(1) : line;
    state.atStart = false;
    if (text.trim() !== '') out.push(readRequest(text, state));
  },
  finish: () => {},
  encode: say,
  answer,
  // Results report how turns end; the process that stays behind them ends well.
  exitCode: () => 0,
};

/** A line of input that could not be read is answered by a complaint, and the agent lives on. */
function answer(state: NuumAgentState, reply: ControlReply): string {
  switch (reply.type) {
    case 'status':
      return saySystem('status_response', {
        running: reply.running,
        session_id: reply.session ?? state.session,
      });
    case 'heartbeat':
      return saySystem('heartbeat_ack', {});
    case 'complaint':
      return saySystem('error', { message: reply.message });
  }
}
