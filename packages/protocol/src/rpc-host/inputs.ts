import { eventsOf, type HostEffect } from '../contract/host-side.ts';
import { wasStopped } from '../model/ending.ts';
import type { End } from '../model/event.ts';
import type { Exit } from '../model/exit.ts';
import type { Turn } from '../model/turn.ts';
import { type AnyConversation, currentTurn, type QueuedInput, type SteerCall, tell } from './state.ts';

/** Requests of ours without an answer. */
type Calls = Map<number, { readonly type: string }>;

/** What the functions of this file need of a state. */
interface InputState<Conversation extends AnyConversation> {
  readonly calls: Calls;
  readonly conversations: ReadonlyMap<string, Conversation>;
  isProven: boolean;
  ended: boolean;
}

/** Ends an input that begins no turn. */
function endUnbegun({ turn: { id }, isGiven }: QueuedInput, end: End, out: HostEffect[]): void {
  if (!isGiven) out.push({ type: 'input', inputId: id, state: 'given' });
  out.push({ type: 'input', inputId: id, state: 'taken', turnId: id });
  eventsOf(out, id).push(end);
}

/** Ends the inputs that wait with the failure of their conversation or process. */
export function failInputs(
  conversation: AnyConversation,
  error: NonNullable<End['error']>,
  out: HostEffect[],
): void {
  conversation.failure = undefined;
  const end: End = { type: 'end', outcome: 'error', text: '', error };
  for (const input of conversation.queue.splice(0)) endUnbegun(input, end, out);
}

/** Closes the open session when `session.agentId` of the turn names another one. */
export function switchSession(conversation: AnyConversation, { session: { agentId } }: Turn): void {
  const { stage, sessionId, lost } = conversation;
  if (stage !== 'open' || agentId === undefined || agentId === sessionId || lost.has(agentId)) return;
  conversation.stage = 'closed';
  conversation.resumed = agentId;
}

/** Reads the answer to a steering input: its turn has taken it, or it waits for a turn of its own, in the order of `place`. */
export function noteSteered<Input extends QueuedInput>(
  conversation: AnyConversation & { readonly queue: Input[] },
  { input, turnId }: SteerCall<Input>,
  isTaken: boolean,
  out: HostEffect[],
): void {
  const { turn, queue } = conversation;
  if (!isTaken) {
    const at = queue.findIndex(({ place }) => place > input.place);
    queue.splice(at === -1 ? queue.length : at, 0, input);
    return;
  }
  out.push({ type: 'input', inputId: input.turn.id, state: 'taken', turnId });
  if (turn?.id === turnId) tell(conversation, { type: 'steered', inputs: [input.turn.id] }, out);
}

/** Takes the steering inputs of a conversation without an answer. Their answers will be ignored. */
function takeSteers(calls: Calls, key: string): QueuedInput[] {
  const taken: QueuedInput[] = [];
  for (const [id, call] of calls) {
    if (!isSteer(call) || call.key !== key) continue;
    calls.delete(id);
    taken.push(call.input);
  }
  return taken;
}

function isSteer(call: { readonly type: string }): call is SteerCall<QueuedInput> {
  return call.type === 'steer';
}

/** Reports the inputs that wait as taken by a cancelled turn. */
export function giveUpInputs(
  { calls }: { readonly calls: Calls },
  { key, queue }: AnyConversation,
  turnId: string,
  out: HostEffect[],
): void {
  for (const { turn, isGiven } of [...takeSteers(calls, key), ...queue.splice(0)]) {
    if (!isGiven) out.push({ type: 'input', inputId: turn.id, state: 'given' });
    out.push({ type: 'input', inputId: turn.id, state: 'taken', turnId });
  }
}

/** Stops the running turn that is meant by `stop`, or takes an input back that waits for a turn of its own. */
export function interruptTurn<Conversation extends AnyConversation>(
  state: InputState<Conversation>,
  turnId: string | undefined,
  stop: (conversation: Conversation) => void,
  out: HostEffect[],
): void {
  const target = turnId ?? currentTurn(state);
  if (target === undefined || state.ended) return;
  for (const conversation of state.conversations.values()) {
    if (conversation.turn?.id === target) return stop(conversation);
    const { queue } = conversation;
    const at = queue.findIndex(({ turn }) => turn.id === target);
    const [input] = at === -1 ? [] : queue.splice(at, 1);
    if (input !== undefined) return endUnbegun(input, { type: 'end', outcome: 'cancelled', text: '' }, out);
  }
}

/**
 * The process has ended, and with it the running turns. An input that was not begun is `returned` when this process has
 * ended a turn before, because a new process may succeed as well. Else the exit is the answer to the first input.
 */
export function endInputs<Conversation extends AnyConversation>(
  state: InputState<Conversation>,
  how: Exit,
  end: End,
  endTurn: (conversation: Conversation) => void,
  out: HostEffect[],
): void {
  const isFirst = !state.isProven || wasStopped(how);
  let isAnswered = false;
  state.ended = true;
  for (const conversation of state.conversations.values()) {
    const { turn, queue, key } = conversation;
    if (turn !== undefined) endTurn(conversation);
    isAnswered ||= turn !== undefined;
    const waiting = [...takeSteers(state.calls, key), ...queue.splice(0)];
    const first: QueuedInput | undefined = isFirst && !isAnswered ? waiting.shift() : undefined;
    isAnswered ||= first !== undefined;
    if (first !== undefined) endUnbegun(first, end, out);
    for (const { turn: unbegun } of waiting)
      out.push({ type: 'input', inputId: unbegun.id, state: 'returned' });
  }
}
