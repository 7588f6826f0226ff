import type { HostEffect, HostInput, Probe } from '../contract/host-side.ts';
import type { End } from '../model/event.ts';
import type { Exit } from '../model/exit.ts';
import type { Answer } from '../model/question.ts';
import type { Turn } from '../model/turn.ts';
import { endInputs, failInputs, interruptTurn, switchSession } from './inputs.ts';
import { dropLine, type RpcReader, readLine } from './lines.ts';
import { type AnyConversation, type AnyState, tell } from './state.ts';

/** What differs between agents that speak JSON-RPC and keep their sessions in one process. */
export interface RpcHost<Conversation extends AnyConversation, State extends AnyState<Conversation>, Call>
  extends RpcReader<State, Call> {
  /** Writes the first request. */
  initialize(state: State, out: HostEffect[]): void;
  /** Ends the wait for the first answer. */
  failStart(state: State, out: HostEffect[]): void;
  /** The conversation of a turn; it is made at the first call. */
  conversationOf(state: State, session: Turn['session']): Conversation;
  /** Makes an input; `place` is its order. */
  createInput(turn: Turn, place: number): Conversation['queue'][number];
  /** Gives inputs that wait to the running turn, where the agent can take them. */
  steer(state: State, conversation: Conversation, out: HostEffect[]): void;
  /** Whether the running turn will take the first input that waits. */
  canSteer(state: State, conversation: Conversation): boolean;
  /** Opens the session of a conversation. */
  open(state: State, conversation: Conversation, out: HostEffect[]): void;
  /** Whether the first input may begin its turn now. Writes what must be written before. */
  prepare(
    state: State,
    conversation: Conversation,
    next: Conversation['queue'][number],
    out: HostEffect[],
  ): boolean;
  /** Begins the turn of an input. */
  begin(
    state: State,
    conversation: Conversation,
    input: Conversation['queue'][number],
    out: HostEffect[],
  ): void;
  /** Asks the agent to end the running turn. */
  stop(state: State, conversation: Conversation, cause: 'cancel' | 'timeout', out: HostEffect[]): void;
  /** Ends the running turn. */
  endTurn(state: State, conversation: Conversation, end: End, out: HostEffect[]): void;
  /** The end of a turn whose process has ended. */
  endBy(how: Exit): End;
  answerAsk(state: State, askId: string, answer: Answer, out: HostEffect[]): void;
  /** Asks the agent for any answer: it shows that the process lives. */
  probe(state: State, probe: Probe, out: HostEffect[]): void;
  /** The timer `WHAT:KEY` of a conversation. */
  runOut(state: State, what: string, conversation: Conversation, out: HostEffect[]): void;
}

/** Creates `HostSide.step` for such an agent. */
export function createRpcStep<
  Conversation extends AnyConversation,
  State extends AnyState<Conversation>,
  Call extends { readonly type: string },
>(host: RpcHost<Conversation, State, Call>): (state: State, input: HostInput, out: HostEffect[]) => void {
  return (state, input, out) => {
    switch (input.type) {
      case 'line':
        if (input.truncated === true) dropLine(host, state, input.text, out);
        else readLine(host, state, input.text, out);
        break;
      case 'started':
        if (state.ended || state.callCount > 0) return;
        host.initialize(state, out);
        break;
      case 'send':
        send(host, state, input.turn, out);
        break;
      case 'interrupt': {
        const { cause } = input;
        interruptTurn(state, input.turnId, (one: Conversation) => host.stop(state, one, cause, out), out);
        break;
      }
      case 'answer':
        return host.answerAsk(state, input.askId, input.answer, out);
      case 'probe':
        return state.stage === 'ready' && !state.ended ? host.probe(state, input.probe, out) : undefined;
      case 'timer':
        runOut(host, state, input.name, out);
        break;
      case 'exit':
        return exit(host, state, input.exit, out);
      default:
    }
    advance(host, state, out);
  };
}

/** Takes an input: it steers the running turn where the agent can, or waits for a turn of its own. */
function send<Conversation extends AnyConversation, State extends AnyState<Conversation>, Call>(
  host: RpcHost<Conversation, State, Call>,
  state: State,
  turn: Turn,
  out: HostEffect[],
): void {
  if (state.ended) {
    out.push({ type: 'input', inputId: turn.id, state: 'returned' });
    return;
  }
  const conversation = host.conversationOf(state, turn.session);
  const { turn: running, queue } = conversation;
  queue.push(host.createInput(turn, ++state.inputCount));
  if (running !== undefined && !host.canSteer(state, conversation))
    tell(conversation, { type: 'queued', position: queue.length, input: turn.id }, out);
}

/** Carries every conversation on as far as it can go: opens its session, steers, begins the next turn. */
function advance<Conversation extends AnyConversation, State extends AnyState<Conversation>, Call>(
  host: RpcHost<Conversation, State, Call>,
  state: State,
  out: HostEffect[],
): void {
  if (state.stage === 'starting' || state.ended) return;
  for (const conversation of state.conversations.values()) {
    const { queue, turn } = conversation;
    const failure = state.failure ?? conversation.failure;
    if (turn !== undefined) host.steer(state, conversation, out);
    else if (failure !== undefined) failInputs(conversation, failure, out);
    else {
      const [next] = queue;
      if (next !== undefined) switchSession(conversation, next.turn);
      if (conversation.stage === 'closed' && (next !== undefined || conversation.isAhead))
        host.open(state, conversation, out);
      else if (
        conversation.stage === 'open' &&
        next !== undefined &&
        host.prepare(state, conversation, next, out)
      ) {
        queue.shift();
        host.begin(state, conversation, next, out);
      }
    }
  }
}

/** Reports what a probe has found. The answer itself says nothing but that the process lives. */
export function reportProbe(
  {
    conversations,
  }: { readonly conversations: ReadonlyMap<string, Pick<AnyConversation, 'turn' | 'sessionId'>> },
  probe: Probe,
  out: HostEffect[],
): void {
  if (probe === 'heartbeat') {
    out.push({ type: 'probed', probe });
    return;
  }
  const all = [...conversations.values()];
  const session = all.length === 1 ? all[0]?.sessionId : undefined;
  const running = all.some(({ turn }) => turn !== undefined);
  out.push({ type: 'probed', probe, running, ...(session === undefined ? {} : { session }) });
}

/** A timer is named `start`, or by what it limits and the key of its conversation. */
function runOut<Conversation extends AnyConversation, State extends AnyState<Conversation>, Call>(
  host: RpcHost<Conversation, State, Call>,
  state: State,
  timer: string,
  out: HostEffect[],
): void {
  if (state.ended) return;
  if (timer === 'start') return host.failStart(state, out);
  const [what = ''] = timer.split(':', 1);
  const conversation = state.conversations.get(timer.slice(what.length + 1));
  if (conversation !== undefined) host.runOut(state, what, conversation, out);
}

function exit<Conversation extends AnyConversation, State extends AnyState<Conversation>, Call>(
  host: RpcHost<Conversation, State, Call>,
  state: State,
  how: Exit,
  out: HostEffect[],
): void {
  if (state.ended) return;
  const end = host.endBy(how);
  endInputs(state, how, end, (one: Conversation) => host.endTurn(state, one, end, out), out);
}
